"use strict";

const socket = new WebSocket(`ws://${location.host}/socket`);
socket.onopen = () => socket.send(JSON.stringify({
  kind: "hello", version: 3, name: "Phone", admission: location.hash.slice(1), watch: location.pathname === "/board",
}));
socket.onmessage = (message) => {
  document.getElementById("main").appendChild(document.createElement("p")).textContent = message.data;
};
