package io.csi4j.benchmarks.mounts;

import io.csi4j.mount.model.MountPath;
import java.util.Locale;

/** The paths of the volumes of a run; the C program has the same. */
record Layout(MountPath directory) {

  /** Tells the JVMs that measure. */
  static final String PROPERTY = "csi4j.benchmarks.directory";

  private static final int SPARE = 99_999_999;

  static Layout ofThisJvm() {
    return new Layout(MountPath.of(System.getProperty(PROPERTY)));
  }

  /** The source of every volume, on its own mount. */
  MountPath source() {
    return directory.resolve("source/data");
  }

  MountPath volume(int index) {
    return directory.resolve(
        String.format(
            Locale.ROOT, "volumes/csi-%08d-0000-4000-8000-000000000000/workload/mount", index));
  }

  /** A directory that nothing is mounted on between operations. */
  MountPath spare() {
    return volume(SPARE);
  }
}
