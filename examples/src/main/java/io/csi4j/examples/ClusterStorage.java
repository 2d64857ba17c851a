package io.csi4j.examples;

import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.NodeId;
import io.csi4j.testkit.hostpath.HostPathPlugin;
import io.csi4j.testkit.model.Quirk;
import io.csi4j.volume.plugin.launch.PluginLaunchPlan;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * The storage system of a cluster on this machine, which runs in a separate process. It attaches
 * volumes to nodes, and creates real mounts on them.
 */
final class ClusterStorage {

  private ClusterStorage() {}

  /**
   * Serves the given nodes, until the process is killed or its parent ends. The first argument is
   * the directory of the volumes; the other arguments are the nodes.
   */
  public static void main(String[] args) {
    CsiEndpoint endpoint = CsiEndpoint.parse(System.getenv(PluginLaunchPlan.ENDPOINT));
    try (HostPathPlugin plugin =
        HostPathPlugin.builder(Path.of(args[0]))
            .shape(
                HostPathPlugin.defaultShape()
                    .with(
                        ControllerCapability.PUBLISH_UNPUBLISH_VOLUME,
                        ControllerCapability.LIST_VOLUMES_PUBLISHED_NODES)
                    .with(Quirk.DETACHES_WHAT_IS_IN_USE))
            .nodes(
                NodeId.of(args[1]), Stream.of(args).skip(2).map(NodeId::of).toArray(NodeId[]::new))
            .socket(endpoint.path())
            .open()) {
      System.out.println("listens at " + plugin.endpoint());
      MortalPlugin.awaitEndOfParent();
    }
  }
}
