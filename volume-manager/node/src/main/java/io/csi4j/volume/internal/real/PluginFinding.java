package io.csi4j.volume.internal.real;

import io.csi4j.client.model.VolumeId;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.layout.VolumeLayout;
import io.csi4j.volume.internal.link.SocketPaths;
import io.csi4j.volume.internal.path.PathView;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A warning about the binding of a plugin.
 *
 * @param code the code for operators
 * @param text the observation with its numbers, as a clause for people
 */
public record PluginFinding(OperatorCode code, String text) {

  /** The maximum length of a path that every plugin must accept according to the spec, in bytes. */
  private static final int SPEC_PATH = 128;

  /** Returns all warnings about a binding that can be determined without a call to the plugin. */
  static List<PluginFinding> of(PluginBinding binding, PathView view) {
    List<PluginFinding> findings = new ArrayList<>();
    int longest = bytes(view.toPlugin(longestPath(binding, view.host())).value());
    if (longest > SPEC_PATH) {
      findings.add(
          new PluginFinding(
              OperatorCode.PLUGIN_PATH_BUDGET,
              "its paths have "
                  + longest
                  + " bytes, and "
                  + SPEC_PATH
                  + " are the most that every plugin accepts"));
    }
    int socket = bytes(binding.endpoint().path().toString());
    int fits = SocketPaths.longest(binding.connectOptions());
    if (socket > fits) {
      findings.add(
          new PluginFinding(
              OperatorCode.PLUGIN_SOCKET_TOO_LONG,
              "the path of its socket has " + socket + " bytes, but only " + fits + " fit"));
    }
    return List.copyOf(findings);
  }

  /**
   * Returns the target path of an arbitrary use. All target paths have the same length, because the
   * names in them are hashes.
   */
  private static MountPath longestPath(PluginBinding binding, MountPath root) {
    return new VolumeLayout(root)
        .target(
            new VolumeIdentity(binding.id(), VolumeId.of("any")),
            VolumeUse.of(VolumeKey.of("any"), WorkloadId.of("any")));
  }

  private static int bytes(String path) {
    return path.getBytes(StandardCharsets.UTF_8).length;
  }
}
