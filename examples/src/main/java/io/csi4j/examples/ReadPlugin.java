package io.csi4j.examples;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.identity.IdentityService.PluginInfo;
import io.csi4j.client.identity.PluginCapability;
import io.csi4j.client.model.CapabilitySet;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiUnsupportedException;
import io.csi4j.client.node.NodeService.NodeInfo;
import java.io.PrintStream;
import java.util.function.Supplier;

/**
 * Prints what a plugin reports about itself: its name, version and capabilities, and its id of this
 * node.
 */
public final class ReadPlugin {

  private ReadPlugin() {}

  /** Reads the plugin at the given endpoint. */
  public static void main(String[] args) {
    System.exit(run(args, System.out, System.err));
  }

  static int run(String[] args, PrintStream out, PrintStream err) {
    return Program.run(
        "ReadPlugin ENDPOINT",
        args,
        err,
        () -> {
          try (CsiPlugin plugin = CsiPlugin.connect(CsiEndpoint.parse(args[0]))) {
            print(plugin, out);
          }
        });
  }

  private static void print(CsiPlugin plugin, PrintStream out) {
    PluginInfo info = plugin.identity().getPluginInfo();
    out.println("name        " + info.name());
    out.println("version     " + info.vendorVersion());
    info.manifest().forEach((key, value) -> out.println("manifest    " + key + "=" + value));
    out.println("transport   " + plugin.transport() + ", " + plugin.peer());

    CapabilitySet<PluginCapability> offered = plugin.identity().getPluginCapabilities();
    out.println("plugin      " + list(offered));
    if (offered.offers(PluginCapability.CONTROLLER_SERVICE)) {
      out.println("controller  " + list(plugin.controller().getCapabilities()));
    }
    if (offered.offers(PluginCapability.GROUP_CONTROLLER_SERVICE)) {
      out.println("group       " + list(plugin.groupController().getCapabilities()));
    }
    // No capability shows whether this endpoint serves the node service, so the program calls it.
    out.println("node        " + orNone(() -> list(plugin.node().getCapabilities())));
    out.println("node info   " + orNone(() -> text(plugin.node().getInfo())));
  }

  private static String list(CapabilitySet<?> offered) {
    String unknown = offered.unrecognized().isEmpty() ? "" : " and " + offered.unrecognized();
    return offered.offered() + unknown;
  }

  private static String text(NodeInfo info) {
    StringBuilder out = new StringBuilder("id ").append(info.nodeId());
    info.maxVolumesPerNode()
        .ifPresent(most -> out.append(", at most ").append(most).append(" volumes"));
    info.accessibleTopology().ifPresent(place -> out.append(", ").append(place));
    return out.toString();
  }

  private static String orNone(Supplier<String> question) {
    try {
      return question.get();
    } catch (CsiUnsupportedException absent) {
      return "none here";
    }
  }
}
