package io.csi4j.testkit.mount;

import io.csi4j.mount.model.KernelText;
import io.csi4j.mount.model.MountException.Reason;
import io.csi4j.mount.model.MountPath;

/** The places that are changed: reached without following a link, and never out of the base. */
final class Targets {

  private final MemoryNamespace namespace;
  private final MountPath base;

  Targets(MemoryNamespace namespace, MountPath base) {
    this.namespace = namespace;
    this.base = base;
  }

  /**
   * The things at a target.
   *
   * @param directory the directory that it is in
   * @param place the place, with what is mounted on it
   * @param made whether it was missing
   */
  record Target(MountedFile directory, MountedFile place, boolean made) {

    boolean isOccupied() {
      return place.mount() != directory.mount();
    }

    void removeIfMade() {
      if (made) {
        place.node().delete();
      }
    }
  }

  void checkWithin(String doing, MountPath target) {
    if (!target.isWithin(base) || target.equals(base)) {
      throw KernelErrors.refused(
              Reason.OUTSIDE,
              doing,
              "it is not below " + base + ", and only what is may be changed",
              "Name a path below it",
              target)
          .build();
    }
  }

  /** The directory that a target is in. */
  MountedFile directory(MountPath target) {
    MountedFile directory = new Walker(namespace.current()).refuse(base, target.parent());
    if (directory.node().isSymlink()) {
      throw new KernelRefusal(KernelRefusal.ELOOP);
    }
    if (!directory.node().isDirectory()) {
      throw new KernelRefusal(KernelRefusal.ENOTDIR);
    }
    return directory;
  }

  /**
   * A target, which is made if it may be and is missing.
   *
   * @param isDirectory what is made
   */
  Target open(MountPath target, boolean make, boolean isDirectory) {
    MountedFile directory = directory(target);
    KernelText name = KernelText.ofBytes(target.name());
    Node node;
    try {
      node = Walker.child(directory, name);
    } catch (KernelRefusal e) {
      if (e.number() != KernelRefusal.ENOENT || !make) {
        throw e;
      }
      Node empty = isDirectory ? Node.directory() : Node.file("");
      return new Target(directory, Model.add(directory, name, empty), true);
    }
    MountedFile place = new MountedFile(directory.mount(), node).top();
    if (place.node().isSymlink()) {
      throw new KernelRefusal(KernelRefusal.ELOOP);
    }
    return new Target(directory, place, false);
  }

  /** The mount on top at a path, which has to be one. */
  Mount mount(String doing, MountPath path) {
    MountedFile place;
    if (path.equals(base)) {
      place = new Walker(namespace.current()).follow(base);
    } else {
      checkWithin(doing, path);
      place = open(path, false, false).place();
    }
    if (!place.isMountRoot()) {
      throw KernelErrors.refused(
              Reason.NOT_A_MOUNT,
              doing,
              "nothing is mounted there",
              "Bind the directory to itself first",
              path)
          .build();
    }
    return place.mount();
  }
}
