package io.csi4j.testkit.mount;

import java.util.LinkedHashSet;
import java.util.Set;

/** Mounts that propagate mounts below them to each other, and slaves that only receive. */
final class PeerGroup {

  final int id;
  final Set<Mount> members = new LinkedHashSet<>();
  final Set<Mount> slaves = new LinkedHashSet<>();

  PeerGroup(int id) {
    this.id = id;
  }
}
