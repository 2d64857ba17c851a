package io.csi4j.testkit.mount;

import io.csi4j.mount.model.DeviceId;
import io.csi4j.mount.model.KernelText;
import java.util.List;

/** A filesystem: the state that all its mounts share. */
final class Filesystem {

  final DeviceId device;
  final KernelText type;
  final List<KernelText> options;
  final Backing backing;
  final Node root;
  boolean readOnly;
  ServerState server = ServerState.ANSWERING;

  /** Number of mounts, including detached ones that are still in use. */
  int uses;

  Filesystem(
      DeviceId device, String type, Backing backing, Node root, List<String> options, boolean ro) {
    this.device = device;
    this.type = KernelText.of(type);
    this.options = options.stream().map(KernelText::of).toList();
    this.backing = backing;
    this.root = root;
    this.readOnly = ro;
  }
}
