package io.csi4j.testkit.internal.server;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.NodeId;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.model.Quirk;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The path of a plugin's socket, with the services and the node that the socket serves. */
public record SocketSite(Path socket, Set<CsiOperation.Service> services, @Nullable NodeId node) {

  /** Default name of the main socket. */
  public static final String MAIN = "csi.sock";

  private static final String CONTROLLER = "controller.sock";
  private static final int NAME_LIMIT = 24;

  public SocketSite {
    services = Set.copyOf(services);
  }

  /**
   * Returns the sockets of a plugin of this shape. The socket of the controller comes first. {@code
   * main} serves the first node. The other sockets are in the same directory.
   */
  static List<SocketSite> of(Path main, PluginShape shape, List<NodeId> nodes) {
    List<SocketSite> sites = new ArrayList<>();
    if (shape.has(Quirk.SEPARATE_SOCKETS)) {
      Set<CsiOperation.Service> controller =
          EnumSet.complementOf(EnumSet.of(CsiOperation.Service.NODE));
      sites.add(new SocketSite(controllerSocket(main), controller, null));
      sites.add(nodeSite(main, nodes.get(0)));
    } else {
      sites.add(new SocketSite(main, EnumSet.allOf(CsiOperation.Service.class), nodes.get(0)));
    }
    for (NodeId node : nodes.subList(1, nodes.size())) {
      sites.add(nodeSite(main.resolveSibling(fileName(node, main)), node));
    }
    return List.copyOf(sites);
  }

  private static Path controllerSocket(Path main) {
    Path usual = main.resolveSibling(CONTROLLER);
    return usual.equals(main) ? main.resolveSibling(MAIN) : usual;
  }

  private static SocketSite nodeSite(Path socket, NodeId node) {
    return new SocketSite(
        socket, EnumSet.of(CsiOperation.Service.IDENTITY, CsiOperation.Service.NODE), node);
  }

  /**
   * Returns the file name of a node's socket. The name contains the node's id if that is a valid
   * short file name; otherwise the name is made unique.
   */
  private static String fileName(NodeId node, Path main) {
    String id = node.value();
    String safe = id.replaceAll("[^A-Za-z0-9_-]", "_");
    String plain = id + ".sock";
    boolean taken = List.of(MAIN, CONTROLLER, String.valueOf(main.getFileName())).contains(plain);
    if (safe.equals(id) && id.length() <= NAME_LIMIT && !taken) {
      return plain;
    }
    String hash =
        HexFormat.of()
            .toHexDigits(id.hashCode() * 31L + id.getBytes(StandardCharsets.UTF_8).length, 8);
    return safe.substring(0, Math.min(safe.length(), NAME_LIMIT / 2)) + "-" + hash + ".sock";
  }
}
