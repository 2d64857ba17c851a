package io.csi4j.testkit.mount;

/** Something in a filesystem, reached through one of its mounts. */
record MountedFile(Mount mount, Node node) {

  /** Returns what is seen here: the root of the mount on top, if any is here. */
  MountedFile top() {
    Mount child = mount.children.get(node);
    if (child == null) {
      return this;
    }
    Mount top = child.top();
    return new MountedFile(top, top.root);
  }

  /** Whether this is where a mount begins. */
  boolean isMountRoot() {
    return node == mount.root;
  }
}
