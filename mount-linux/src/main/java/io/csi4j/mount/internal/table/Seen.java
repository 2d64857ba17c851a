package io.csi4j.mount.internal.table;

import io.csi4j.mount.model.MountHealth;
import io.csi4j.mount.model.MountPath;
import java.util.Optional;

/** The result of a look at a path, before the mount's record is read. */
sealed interface Seen {

  /** There is nothing. */
  Seen MISSING = new Missing();

  /** There is something, and nothing is mounted on it. */
  Seen NOT_A_MOUNT = new NotAMount();

  /** There is nothing. */
  record Missing() implements Seen {}

  /** There is something, and nothing is mounted on it. */
  record NotAMount() implements Seen {}

  /**
   * A mount whose number is known.
   *
   * @param id the number
   * @param isUnique whether no other mount gets the number
   * @param told what the kernel told of its health, if anything
   */
  record Numbered(long id, boolean isUnique, Optional<MountHealth> told) implements Seen {}

  /**
   * A mount that is known by its place, and was not touched.
   *
   * @param place its path without symbolic links
   * @param told what the kernel told of its health, if anything
   */
  record Placed(MountPath place, Optional<MountHealth> told) implements Seen {}

  /**
   * A path that the kernel does not walk to its end, so that the table has to tell what is there.
   *
   * @param syscall the call that failed
   * @param result what it returned: the error with a minus sign
   */
  record OutOfReach(String syscall, int result) implements Seen {}
}
