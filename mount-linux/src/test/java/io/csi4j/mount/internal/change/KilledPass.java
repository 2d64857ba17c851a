package io.csi4j.mount.internal.change;

import io.csi4j.mount.Mounts;
import io.csi4j.mount.model.FileOwnership;
import io.csi4j.mount.model.MountPath;
import java.util.concurrent.locks.LockSupport;

/** A process that is in the middle of a pass over the files of a volume when it is killed. */
final class KilledPass {

  /** So many files are between two words about the progress. */
  static final int TOLD_EVERY = 10_000;

  private KilledPass() {}

  /** Gives the files of a mount to group 0, and stays where it first tells of its progress. */
  public static void main(String[] arguments) {
    Mounts.system()
        .setOwnership(
            MountPath.of(arguments[0]),
            FileOwnership.ofGroup(0),
            progress -> {
              System.out.println(progress.outcome());
              System.out.flush();
              while (true) {
                LockSupport.park();
              }
            });
  }
}
