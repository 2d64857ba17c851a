package io.csi4j.mount.internal.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.mount.MountTable;
import io.csi4j.mount.Mounts;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountException.Reason;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.MountSnapshot;
import io.csi4j.mount.model.Propagation;
import io.csi4j.mount.real.MountTest;
import io.csi4j.mount.real.Neighbour;
import io.csi4j.mount.real.Scratch;
import org.junit.jupiter.api.Test;

/** What another process sees, and the mount that a path is in. */
@MountTest
class OtherProcessTest {

  private final MountTable table = MountTable.system();

  @Test
  void aProcessInThisNamespaceSeesTheSameMounts(Scratch scratch) {
    MountPath mount = scratch.tmpfs("mount");
    try (Neighbour neighbour = Neighbour.here()) {
      assertThat(table.listOf(neighbour.pid()).at(mount).map(MountRecord::id))
          .isEqualTo(table.find(mount).map(MountRecord::id))
          .isPresent();
    }
  }

  @Test
  void aProcessElsewhereSeesItsOwn(Scratch scratch) {
    MountPath shared = scratch.tmpfs("shared");
    Mounts.system().setPropagation(shared, Propagation.BIDIRECTIONAL, false);
    MountPath own = scratch.directory("own");
    try (Neighbour neighbour = Neighbour.elsewhere("unchanged")) {
      MountSnapshot before = table.listOf(neighbour.pid());
      neighbour.run("mount -t tmpfs own " + own);

      MountSnapshot.Changes changes = before.refresh();

      assertThat(changes.added()).extracting(MountRecord::path).containsExactly(own);
      assertThat(table.find(own)).isEmpty();
      MountRecord copy = changes.now().at(shared).orElseThrow();
      MountRecord here = table.find(shared).orElseThrow();
      assertThat(copy.id()).isNotEqualTo(here.id());
      assertThat(copy.propagation()).isEqualTo(here.propagation());
    }
  }

  @Test
  void aProcessThatHasEndedIsNamed() {
    long gone;
    try (Neighbour neighbour = Neighbour.here()) {
      gone = neighbour.pid();
    }
    assertThatThrownBy(() -> table.listOf(gone))
        .isInstanceOfSatisfying(
            MountException.class,
            failed -> assertThat(failed.reason()).isEqualTo(Reason.NO_MOUNT_TABLE))
        .hasMessageContaining("Check whether the process " + gone + " still runs");
  }

  @Test
  void aPathIsInTheNearestMountAboveItOnWhichNothingLies(Scratch scratch) {
    MountPath outer = scratch.tmpfs("outer");
    MountPath inner = scratch.tmpfs("outer/inner");
    assertThat(holding(inner.resolve("a/b"))).isEqualTo(inner);
    assertThat(holding(inner)).isEqualTo(inner);
    assertThat(holding(outer.resolve("innermost"))).isEqualTo(outer);

    int below = table.find(outer).orElseThrow().id();
    scratch.tmpfs("outer");
    MountRecord over = table.list().holding(inner.resolve("a/b")).orElseThrow();
    assertThat(over.path()).isEqualTo(outer);
    assertThat(over.id()).isNotEqualTo(below);
  }

  @Test
  void aPathAboveAllMountsThatAreKnownIsInNone(Scratch scratch) {
    MountPath mount = scratch.tmpfs("mount");
    MountSnapshot some = table.list(each -> each.path().equals(mount));

    assertThat(some.holding(mount.resolve("x")).map(MountRecord::path)).contains(mount);
    assertThat(some.holding(scratch.path("other"))).isEmpty();
  }

  private MountPath holding(MountPath path) {
    return table.list().holding(path).orElseThrow().path();
  }
}
