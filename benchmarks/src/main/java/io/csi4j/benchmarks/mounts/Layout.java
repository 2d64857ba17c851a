package io.csi4j.benchmarks.mounts;

import io.csi4j.mount.model.MountPath;
import java.util.Locale;

/** The paths of the volumes of a run. The C program uses the same paths. */
record Layout(MountPath directory) {

  /** The system property that passes the directory to the measuring JVMs. */
  static final String PROPERTY = "csi4j.benchmarks.directory";

  private static final int SPARE = 99_999_999;

  static Layout ofThisJvm() {
    return new Layout(MountPath.of(System.getProperty(PROPERTY)));
  }

  /** Returns the source of every volume, which is a separate mount. */
  MountPath source() {
    return directory.resolve("source/data");
  }

  MountPath volume(int index) {
    return directory.resolve(
        String.format(
            Locale.ROOT, "volumes/csi-%08d-0000-4000-8000-000000000000/workload/mount", index));
  }

  /** Returns a directory on which nothing is mounted between operations. */
  MountPath spare() {
    return volume(SPARE);
  }
}
