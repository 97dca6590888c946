"""Other mDNS stacks as subjects: python-zeroconf, JmDNS, mdnsd and systemd-resolved, driven through small programs of ours.

What Debian has but is not installed here is also looked for in SUBJECTS: packages unpacked with `dpkg -x PACKAGE.deb FOLDER/NAME`.
"""

import os
import pathlib
import shutil
import signal
import subprocess
import time

from subject import HOST, Avahi, Cannot, OurEngine, Program, Subject, run

HERE = pathlib.Path(__file__).resolve().parent
SUBJECTS = pathlib.Path(os.environ.get("SUBJECTS", HERE.parents[1] / ".build" / "subjects"))


def found(package, path):
    """A file of a Debian package that is installed, or unpacked in SUBJECTS."""
    for file in (pathlib.Path(path), SUBJECTS / package / path.lstrip("/")):
        if file.exists():
            return str(file)
    return None


def debian_version(package, file):
    """The version of an installed package, or of one that was unpacked."""
    said = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], capture_output=True, text=True).stdout
    if said and not file.startswith(str(SUBJECTS)):
        return said
    debs = sorted(SUBJECTS.glob(f"debs/{package}_*.deb"))
    return debs[-1].name.split("_")[1] if debs else "unknown"


class OneProgram(Subject):
    """A library behind a small program: COMMAND publish NAME TYPE PORT SUBTYPES TEXT ..., COMMAND browse TYPE. It tells JSON lines as
    ours do, and ends with a goodbye at SIGTERM."""

    def __init__(self, programs=None):
        super().__init__()
        self.publishers = []

    def command(self):
        raise NotImplementedError

    def processes(self):
        return [publisher.process.pid for publisher in self.publishers] + super().processes()

    def publish(self, name, kind, port, *texts, subtypes=()):
        arguments = ["publish", name, kind, str(port), ",".join(subtypes), *texts]
        self.publishers.append(Program(OurEngine.translated, *self.command(), *arguments))

    def withdraw(self):
        for publisher in self.publishers:
            publisher.stop()
        self.publishers = []

    def browse(self, kind):
        browser = Program(OurEngine.translated, *self.command(), "browse", kind)
        self.browsers.append(browser)
        return browser

    def stop(self):
        self.stop_browsing()
        self.withdraw()

    close = stop


class Zeroconf(OneProgram):
    title = "python-zeroconf of Debian"
    folder = "/usr/lib/python3/dist-packages"

    def command(self):
        return ["env", f"PYTHONPATH={self.folder}", "/usr/bin/python3", "-B", str(HERE / "zeroconf_subject.py")]

    def missing(self):
        return None if pathlib.Path(self.folder, "zeroconf").exists() else "Debian's package python3-zeroconf is not installed"

    def version(self):
        return run(*self.command()).strip()


class ZeroconfOfPyPI(Zeroconf):
    title = "python-zeroconf of PyPI"
    folder = str(SUBJECTS / "zeroconf-pypi")

    def missing(self):
        if pathlib.Path(self.folder, "zeroconf").exists():
            return None
        return "no copy on this machine (pip install --target .build/subjects/zeroconf-pypi zeroconf)"


class JmDNS(OneProgram):
    title = "JmDNS"

    def files(self):
        return {
            "libjmdns-java": found("libjmdns-java", "/usr/share/java/jmdns.jar"),
            "libslf4j-java": found("libslf4j-java", "/usr/share/java/slf4j-api.jar"),
            "libslf4j-java ": found("libslf4j-java", "/usr/share/java/slf4j-nop.jar"),
            "default-jdk-headless": shutil.which("javac"),
        }

    def missing(self):
        absent = sorted(package.strip() for package, file in self.files().items() if not file)
        return f"Debian's package {', '.join(absent)} is not here" if absent else None

    def command(self):
        path = ":".join([*list(self.files().values())[:3]])
        classes = SUBJECTS / "classes"
        if not (classes / "JmDNSSubject.class").exists():
            classes.mkdir(parents=True, exist_ok=True)
            run("javac", "-cp", path, "-d", str(classes), str(HERE / "JmDNSSubject.java"))
        return ["java", "-Xlog:disable", "-Xshare:auto", "-XX:TieredStopAtLevel=1", "-cp", f"{path}:{classes}", "JmDNSSubject"]

    def version(self):
        return debian_version("libjmdns-java", self.files()["libjmdns-java"])


class Daemon(Subject):
    """A daemon that reads its services from files, and cannot browse for others."""

    is_daemon = True

    def __init__(self, programs=None):
        super().__init__()
        self.process, self.count, self.settings = None, 0, pathlib.Path(f"/run/{type(self).__name__}")
        self.settings.mkdir(parents=True, exist_ok=True)

    def command(self):
        raise NotImplementedError

    def processes(self):
        return [self.process.pid] if self.process else []

    def start(self):
        if self.process is None:
            quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
            self.process = subprocess.Popen(["on", HOST, *self.command()], **quiet)

    def browse(self, kind):
        raise Cannot(f"{self.title} cannot browse")

    def end(self):
        if self.process:
            self.process.terminate()
            try:
                self.process.wait(5)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
            self.process = None

    def stop(self):
        self.end()
        for file in self.settings.iterdir():
            file.unlink()

    close = stop


class Mdnsd(Daemon):
    title = "mdnsd"
    path = "/usr/sbin/mdnsd"

    def missing(self):
        return None if found("mdnsd", self.path) else "Debian's package mdnsd is not here"

    def version(self):
        return debian_version("mdnsd", found("mdnsd", self.path))

    def command(self):
        program = found("mdnsd", self.path)
        library = SUBJECTS / "libmdnsd1/usr/lib/x86_64-linux-gnu"
        return ["env", f"LD_LIBRARY_PATH={library}", program, "-n", "-i", "eth0", str(self.settings)]

    def publish(self, name, kind, port, *texts, subtypes=()):
        self.count += 1
        lines = [f"name {name}", f"type {kind}", f"port {port}", *(f"txt {text}" for text in texts)]
        (self.settings / f"{self.count}.service").write_text("\n".join(lines) + "\n", encoding="utf-8")
        if self.process:
            self.process.send_signal(signal.SIGHUP)
        else:
            self.start()

    def withdraw(self):
        self.stop()


class Resolved(Daemon):
    """systemd-resolved, started by hand: with a bus of the host's own, without networkd."""

    title = "systemd-resolved"
    path = "/lib/systemd/systemd-resolved"

    def missing(self):
        return None if found("systemd-resolved", self.path) else "Debian's package systemd-resolved is not here"

    def version(self):
        return debian_version("systemd-resolved", found("systemd-resolved", self.path))

    def command(self):
        library = SUBJECTS / "libsystemd-shared/usr/lib/x86_64-linux-gnu/systemd"
        run("mkdir", "-p", "/run/systemd/resolve", "/run/systemd/resolved.conf.d", "/run/systemd/dnssd")
        text = "[Resolve]\nMulticastDNS=yes\nLLMNR=no\nDNSStubListener=no\nDNS=\nFallbackDNS=\n"
        pathlib.Path("/run/systemd/resolved.conf.d/subject.conf").write_text(text, encoding="ascii")
        users = pathlib.Path("/etc/passwd")  # the LAN's own; resolved insists on its user, and here there is one user alone
        lines = [line for line in users.read_text(encoding="utf-8").splitlines() if not line.startswith("systemd-resolve:")]
        users.write_text("\n".join([*lines, "systemd-resolve:x:0:0::/:/usr/sbin/nologin"]) + "\n", encoding="utf-8")
        return ["env", f"LD_LIBRARY_PATH={library}", found("systemd-resolved", self.path)]

    def start(self):
        if self.process:
            return
        super().start()
        # Without networkd nobody else says that the link shall speak mDNS.
        library = SUBJECTS / "libsystemd-shared/usr/lib/x86_64-linux-gnu/systemd"
        switch = ["env", f"LD_LIBRARY_PATH={library}", found("systemd-resolved", "/usr/bin/resolvectl"), "mdns", "eth0", "yes"]
        deadline = time.monotonic() + 5
        while subprocess.run(["on", HOST, *switch], capture_output=True).returncode and time.monotonic() < deadline:
            time.sleep(0.05)

    def publish(self, name, kind, port, *texts, subtypes=()):
        self.count += 1
        escaped = name.replace("%", "%%")
        lines = ["[Service]", f"Name={escaped}", f"Type={kind}", f"Port={port}", *(f"TxtText={text}" for text in texts)]
        file = self.settings / f"{self.count}.dnssd"
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
        self.end()  # it reads them when it starts
        pathlib.Path("/run/systemd/dnssd").mkdir(parents=True, exist_ok=True)
        shutil.copy(file, f"/run/systemd/dnssd/{self.count}.dnssd")
        self.start()

    def withdraw(self):
        self.stop()

    def stop(self):
        super().stop()
        for file in pathlib.Path("/run/systemd/dnssd").glob("*.dnssd"):
            file.unlink()

    close = stop


ALL = {
    "ours": OurEngine, "avahi": Avahi, "zeroconf": Zeroconf, "zeroconf-pypi": ZeroconfOfPyPI, "resolved": Resolved, "jmdns": JmDNS,
    "mdnsd": Mdnsd,
}
