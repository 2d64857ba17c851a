package io.csi4j.testkit.internal.server;

import io.csi4j.client.CsiService;
import io.csi4j.client.NodeId;
import io.csi4j.testkit.PluginShape;
import io.csi4j.testkit.Quirk;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One socket of a plugin.
 *
 * @param socket where
 * @param services what is served there
 * @param node the node that is served there, if any
 */
record Site(Path socket, Set<CsiService> services, @Nullable NodeId node) {

  private static final int NAME_LIMIT = 24;

  Site {
    services = Set.copyOf(services);
  }

  /** The sockets of a plugin of this shape; the first is its main one. */
  static List<Site> of(Path directory, PluginShape shape, List<NodeId> nodes) {
    List<Site> sites = new ArrayList<>();
    Path main = directory.resolve("csi.sock");
    if (shape.has(Quirk.SEPARATE_SOCKETS)) {
      Set<CsiService> controller = EnumSet.complementOf(EnumSet.of(CsiService.NODE));
      sites.add(new Site(directory.resolve("controller.sock"), controller, null));
      sites.add(nodeSite(main, nodes.get(0)));
    } else {
      sites.add(new Site(main, EnumSet.allOf(CsiService.class), nodes.get(0)));
    }
    for (NodeId node : nodes.subList(1, nodes.size())) {
      sites.add(nodeSite(directory.resolve(fileName(node)), node));
    }
    return List.copyOf(sites);
  }

  private static Site nodeSite(Path socket, NodeId node) {
    return new Site(socket, EnumSet.of(CsiService.IDENTITY, CsiService.NODE), node);
  }

  /** The node's id where it can be a short file name, else one that nobody else has. */
  private static String fileName(NodeId node) {
    String id = node.value();
    String safe = id.replaceAll("[^A-Za-z0-9_-]", "_");
    if (safe.equals(id) && id.length() <= NAME_LIMIT && !isTaken(id)) {
      return id + ".sock";
    }
    String hash =
        HexFormat.of()
            .toHexDigits(id.hashCode() * 31L + id.getBytes(StandardCharsets.UTF_8).length, 8);
    return safe.substring(0, Math.min(safe.length(), NAME_LIMIT / 2)) + "-" + hash + ".sock";
  }

  private static boolean isTaken(String name) {
    return name.equals("csi") || name.equals("controller");
  }
}
