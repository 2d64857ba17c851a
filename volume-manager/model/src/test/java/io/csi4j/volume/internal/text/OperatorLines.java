package io.csi4j.volume.internal.text;

import io.csi4j.client.model.VolumeId;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.model.Namespace;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import java.util.Map;

/** One line for every code, as an operator would read it. */
public final class OperatorLines {

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
        .by(VolumeUse.of(VolumeKey.of(Namespace.of("shop"), "db-1"), WorkloadId.of("web-1")))
        .at(MountPath.of("/var/lib/csi4j/p/k7x2/t"));
  }

  public static String line(OperatorCode code) {
    return Messages.of(code, subject(code), "").line();
  }
}
