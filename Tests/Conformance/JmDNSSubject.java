import java.io.PrintStream;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Collectors;
import javax.jmdns.JmDNS;
import javax.jmdns.ServiceEvent;
import javax.jmdns.ServiceInfo;
import javax.jmdns.ServiceListener;

/** JmDNSSubject publish NAME TYPE PORT SUBTYPES TEXT ... | browse TYPE: JmDNS as a subject, on the IPv4 address of h1. */
public class JmDNSSubject {
  static final PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);

  static String quoted(String text) {
    String escaped = text.replace("\\", "\\\\").replace("\"", "\\\"");
    return '"' + escaped.codePoints().mapToObj(each -> each < 32 ? String.format("\\u%04x", each) : Character.toString(each))
        .collect(Collectors.joining()) + '"';
  }

  static void tell(String event, String name, String rest) {
    out.println("{\"event\":\"" + event + "\",\"name\":" + quoted(name) + rest + "}");
  }

  public static void main(String[] arguments) throws Exception {
    String host = Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
    JmDNS network = JmDNS.create(InetAddress.getByName("10.77.0.1"), host);
    Runtime.getRuntime().addShutdownHook(new Thread(() -> {
      try {
        network.close();
      } catch (Exception ended) {
        return;
      }
    }));
    if (arguments[0].equals("publish")) {
      String[] texts = Arrays.copyOfRange(arguments, 5, arguments.length);
      String subtype = arguments[4].split(",")[0];
      var properties = Arrays.stream(texts).map(each -> each.split("=", 2)).collect(Collectors.toMap(each -> each[0], each -> each[1]));
      ServiceInfo info = ServiceInfo.create(
          arguments[2] + ".local.", arguments[1], subtype, Integer.parseInt(arguments[3]), 0, 0, properties);
      network.registerService(info);
      tell("published", info.getName(), "");
    } else {
      network.addServiceListener(arguments[1] + ".local.", new ServiceListener() {
        public void serviceAdded(ServiceEvent event) {
          tell("found", event.getName(), "");
        }

        public void serviceRemoved(ServiceEvent event) {
          tell("lost", event.getName(), "");
        }

        public void serviceResolved(ServiceEvent event) {
          ServiceInfo info = event.getInfo();
          String addresses = Arrays.stream(info.getHostAddresses()).map(each -> quoted(each.replaceAll("[\\[\\]]", "")))
              .collect(Collectors.joining(","));
          tell("found", event.getName(),
              ",\"host\":" + quoted(info.getServer()) + ",\"port\":" + info.getPort() + ",\"addresses\":[" + addresses + "]");
        }
      });
    }
    Thread.sleep(Long.MAX_VALUE);
  }
}
