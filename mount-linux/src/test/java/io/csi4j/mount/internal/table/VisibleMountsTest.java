package io.csi4j.mount.internal.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.mount.model.DeviceId;
import io.csi4j.mount.model.KernelText;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.MountRef;
import io.csi4j.mount.model.MountSnapshot;
import io.csi4j.mount.model.Propagation;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** That the table alone tells which mount a path leads to. */
class VisibleMountsTest {

  @Test
  void theMountAtThePathIsFound() {
    assertThat(top("/a/t", mount(1, 0, "/"), mount(2, 1, "/a/t"))).contains(2);
  }

  @Test
  void aPathInAMountIsNoMount() {
    assertThat(top("/a/t/x", mount(1, 0, "/"), mount(2, 1, "/a/t"))).isEmpty();
  }

  @Test
  void theTopOfAStackIsFoundInAnyOrder() {
    assertThat(top("/t", mount(4, 3, "/t"), mount(1, 0, "/"), mount(3, 1, "/t"))).contains(4);
    assertThat(top("/t", mount(3, 1, "/t"), mount(4, 3, "/t"), mount(1, 0, "/"))).contains(4);
  }

  @Test
  void aMountUnderAnOverMountedDirectoryIsHidden() {
    MountRecord[] mounts = {mount(1, 0, "/"), mount(2, 1, "/a/t"), mount(3, 1, "/a")};

    assertThat(top("/a/t", mounts)).isEmpty();
    assertThat(top("/a", mounts)).contains(3);
  }

  @Test
  void aMountOnTheDirectoryThatHidesAnotherIsSeen() {
    assertThat(
            top(
                "/a/t",
                mount(1, 0, "/"),
                mount(2, 1, "/a/t"),
                mount(3, 1, "/a"),
                mount(4, 3, "/a/t")))
        .contains(4);
  }

  @Test
  void aMountOverTheRootDirectoryHidesEverythingElse() {
    assertThat(top("/a", mount(1, 0, "/"), mount(2, 1, "/a"), mount(3, 1, "/"))).isEmpty();
    assertThat(top("/", mount(1, 0, "/"), mount(3, 1, "/"))).contains(3);
  }

  @Test
  void aRootThatIsItsOwnParentIsFound() {
    assertThat(top("/", mount(1, 1, "/"))).contains(1);
    assertThat(top("/a", mount(1, 1, "/"), mount(2, 1, "/a"))).contains(2);
  }

  @Test
  void inAChangedRootThatIsNoMountTheFirstMountsAreFound() {
    assertThat(top("/a", mount(2, 1, "/a"))).contains(2);
    assertThat(top("/a/b", mount(2, 1, "/a"), mount(3, 2, "/a/b"))).contains(3);
    assertThat(top("/a/b", mount(2, 1, "/a"), mount(3, 1, "/a/b"))).isEmpty();
    assertThat(top("/", mount(2, 1, "/a"))).isEmpty();
  }

  private static Optional<Integer> top(String path, MountRecord... mounts) {
    MountPath at = MountPath.of(path);
    List<MountRecord> way =
        List.of(mounts).stream().filter(mount -> at.isWithin(mount.path())).toList();
    return MountSnapshot.of(
            way, 0, before -> new MountSnapshot.Changes(before, List.of(), List.of()))
        .holding(at)
        .filter(last -> last.path().equals(at))
        .map(MountRecord::id);
  }

  private static MountRecord mount(int id, int parent, String path) {
    DeviceId device = new DeviceId(0, id);
    KernelText root = KernelText.of("/");
    return new MountRecord(
        new MountRef(MountPath.of(path), "boot", new MountRef.Identity.Reusable(id, device, root)),
        id,
        parent,
        OptionalLong.empty(),
        device,
        root,
        Set.of(),
        Propagation.Tags.PRIVATE,
        KernelText.of("tmpfs"),
        KernelText.of("none"),
        List.of());
  }
}
