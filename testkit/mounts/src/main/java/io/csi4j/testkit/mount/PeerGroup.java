package io.csi4j.testkit.mount;

import java.util.LinkedHashSet;
import java.util.Set;

/** Mounts that tell each other of mounts made below them, and those that are only told. */
final class PeerGroup {

  final int id;
  final Set<Mount> members = new LinkedHashSet<>();
  final Set<Mount> slaves = new LinkedHashSet<>();

  PeerGroup(int id) {
    this.id = id;
  }
}
