package io.csi4j.mount.internal.change;

import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.ErrnoMeaning;
import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountRecord;
import java.util.Optional;

/** The directory or file that something is to be mounted on, held open; made if it has to be. */
final class Spot implements AutoCloseable {

  private final MountOf mounts;
  private final TargetPlace place;
  private final Descriptor node;
  private final boolean made;
  private final boolean isDirectory;

  private Spot(
      MountOf mounts, TargetPlace place, Descriptor node, boolean made, boolean isDirectory) {
    this.mounts = mounts;
    this.place = place;
    this.node = node;
    this.made = made;
    this.isDirectory = isDirectory;
  }

  /**
   * Opens what is at the place; the place stays the caller's to close.
   *
   * @param make whether it is made if it is missing
   * @param isDirectory what is made: a directory ({@code rwxr-xr-x} less the umask), or a file
   */
  static Spot open(
      String doing,
      Kernel kernel,
      MountOf mounts,
      TargetPlace place,
      boolean make,
      boolean isDirectory) {
    int opened = place.tryOpen();
    if (opened >= 0) {
      Descriptor node = new Descriptor(kernel.calls(), opened);
      return new Spot(mounts, place, node, false, isDirectory);
    }
    int created = -Abi.EEXIST;
    if (make && opened == -Abi.ENOENT) {
      created = place.make(isDirectory);
      if (created < 0 && created != -Abi.EEXIST) {
        String call = isDirectory ? "mkdirat" : "openat";
        throw ErrnoMeaning.of(doing, call, created, place.path()).build();
      }
    }
    boolean made = created >= 0;
    try {
      return new Spot(mounts, place, place.open(doing), made, isDirectory);
    } catch (MountException e) {
      if (made) {
        place.remove(isDirectory);
      }
      throw e;
    }
  }

  Descriptor node() {
    return node;
  }

  /** Whether it was missing. */
  boolean made() {
    return made;
  }

  /** The mount that is on it. */
  Optional<MountRecord> occupant() {
    return mounts.id(place.directory()) == mounts.id(node.number())
        ? Optional.empty()
        : mounts.record(node);
  }

  /** Removes what was made, and nothing else. */
  void removeIfMade() {
    if (made) {
      place.remove(isDirectory);
    }
  }

  @Override
  public void close() {
    node.close();
  }
}
