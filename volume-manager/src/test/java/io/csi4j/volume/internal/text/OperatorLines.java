package io.csi4j.volume.internal.text;

import io.csi4j.client.VolumeId;
import io.csi4j.mount.MountPath;
import io.csi4j.volume.Namespace;
import io.csi4j.volume.OperatorCode;
import io.csi4j.volume.PluginId;
import io.csi4j.volume.UsageKey;
import io.csi4j.volume.VolumeKey;
import io.csi4j.volume.WorkloadId;
import io.csi4j.volume.internal.record.VolumeIdentity;
import java.util.Map;

/** One line for every code, as an operator would read it. */
final class OperatorLines {

  /** What is done when such a thing happens, by the hundreds of the code. */
  private static final Map<Integer, String> DOING =
      Map.of(
          1, "recovering",
          2, "publishing",
          3, "publishing",
          4, "publishing",
          5, "mounting",
          6, "preparing",
          7, "staging",
          9, "releasing");

  private OperatorLines() {}

  static Subject subject(OperatorCode code) {
    return Subject.of(
            DOING.getOrDefault(code.number() / 100, ""),
            new VolumeIdentity(PluginId.of("hostpath.csi"), VolumeId.of("vol-7f3")))
        .by(UsageKey.of(VolumeKey.of(Namespace.of("shop"), "db-1"), WorkloadId.of("web-1")))
        .at(MountPath.of("/var/lib/csi4j/p/k7x2/t"));
  }

  static String line(OperatorCode code) {
    return Messages.of(code, subject(code), "").line();
  }
}
