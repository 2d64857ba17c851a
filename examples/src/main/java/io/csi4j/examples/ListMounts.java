package io.csi4j.examples;

import io.csi4j.mount.MountCapabilities;
import io.csi4j.mount.MountTable;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountSnapshot;
import java.io.PrintStream;

/**
 * Prints the system calls that read and change mounts on this kernel, and the mounts at or below a
 * path.
 */
public final class ListMounts {

  private ListMounts() {}

  /** Lists the mounts at and below the given path. */
  public static void main(String[] args) {
    System.exit(run(args, System.out, System.err));
  }

  static int run(String[] args, PrintStream out, PrintStream err) {
    return Program.run("ListMounts PATH", args, err, () -> print(MountPath.of(args[0]), out));
  }

  private static void print(MountPath top, PrintStream out) {
    out.println(MountCapabilities.system());
    MountSnapshot mounts = MountTable.system().list(mount -> mount.path().isWithin(top));
    mounts.records().forEach(out::println);
    out.println(mounts + " at and below " + top);
  }
}
