package io.csi4j.testkit.mount;

/** A file of a filesystem, reached through one of its mounts. */
record MountedFile(Mount mount, Node node) {

  /**
   * Returns the file that is visible here: the root of the topmost mount, if something is mounted
   * here.
   */
  MountedFile top() {
    Mount child = mount.children.get(node);
    if (child == null) {
      return this;
    }
    Mount top = child.top();
    return new MountedFile(top, top.root);
  }

  /** Returns whether this is the root of a mount. */
  boolean isMountRoot() {
    return node == mount.root;
  }
}
