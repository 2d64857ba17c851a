package io.csi4j.mount.internal.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import io.csi4j.mount.RunningKernel;
import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.model.DeviceId;
import io.csi4j.mount.model.KernelText;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountException.Reason;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountProbe;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.MountRef;
import io.csi4j.mount.real.FuseServer;
import io.csi4j.mount.real.MountTest;
import io.csi4j.mount.real.NeedsRoot;
import io.csi4j.mount.real.NeedsUniqueIds;
import io.csi4j.mount.real.Scratch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** That a mount is found again by its reference, and no other is taken for it. */
@MountTest
class CheckTest {

  @ParameterizedTest
  @EnumSource
  void aMountIsPresentUntilItIsGone(Rung rung, Scratch scratch) {
    MountRef ref = ref(rung, scratch.tmpfs("t"));

    assertThat(check(rung, ref)).isEqualTo(new MountRef.Check.Present());
    assertThat(scratch.rawUnmount(ref.path(), 0)).isZero();
    assertThat(check(rung, ref)).isEqualTo(new MountRef.Check.Gone());
  }

  @ParameterizedTest
  @EnumSource
  void aReferenceSurvivesInAFile(Rung rung, Scratch scratch) {
    MountRef ref = ref(rung, scratch.tmpfs("a b:%\u00fc"));

    MountRef read = MountRef.parse(ref.encode());

    assertThat(read).isEqualTo(ref);
    assertThat(check(rung, read)).isEqualTo(new MountRef.Check.Present());
    assertThat(ref.identity() instanceof MountRef.Identity.Unique).isEqualTo(rung.hasUniqueIds());
  }

  @ParameterizedTest
  @EnumSource
  void anotherMountAtItsPathReplacesIt(Rung rung, Scratch scratch) {
    MountPath one = scratch.directory("one");
    MountPath two = scratch.directory("two");
    MountPath target = scratch.directory("target");
    scratch.bind(one, target);
    MountRef ref = ref(rung, target);
    assertThat(scratch.rawUnmount(target, 0)).isZero();
    scratch.bind(two, target);

    assertThat(check(rung, ref)).isEqualTo(new MountRef.Check.Replaced(ref(rung, target)));
  }

  @ParameterizedTest
  @EnumSource
  void aMountUnderAnotherIsPresent(Rung rung, Scratch scratch) {
    MountRef ref = ref(rung, scratch.tmpfs("a/t"));
    scratch.tmpfs("a/t");

    assertThat(check(rung, ref)).isEqualTo(new MountRef.Check.Present());

    scratch.tmpfs("a");

    assertThat(check(rung, ref)).isEqualTo(new MountRef.Check.Present());
  }

  @ParameterizedTest
  @EnumSource
  void aMountThatWasMovedIsFoundAtItsNewPath(Rung rung, Scratch scratch) throws IOException {
    MountRef ref = ref(rung, scratch.tmpfs("a/t"));
    MountPath to = scratch.directory("to");
    assertThat(
            RunningKernel.kernel()
                .calls()
                .mount(Abi.path(ref.path()), Abi.path(to), null, Abi.MS_MOVE, null))
        .isZero();

    assertThat(check(rung, ref))
        .isEqualTo(new MountRef.Check.Moved(new MountRef(to, ref.bootId(), ref.identity())));
    assertThat(ref(rung, to).identity()).isEqualTo(ref.identity());
  }

  @ParameterizedTest
  @EnumSource
  void aMountMovesWithTheDirectoryAboveIt(Rung rung, Scratch scratch) throws IOException {
    MountRef ref = ref(rung, scratch.tmpfs("a/t"));
    Files.move(scratch.file("a"), scratch.file("b"));

    assertThat(check(rung, ref))
        .isEqualTo(
            new MountRef.Check.Moved(
                new MountRef(scratch.path("b/t"), ref.bootId(), ref.identity())));
  }

  @ParameterizedTest
  @EnumSource
  void aMountIsPresentAtAPathThroughALink(Rung rung, Scratch scratch) throws IOException {
    scratch.tmpfs("a/t");
    Files.createSymbolicLink(scratch.file("link"), Path.of("a"));
    MountRef ref = ref(rung, scratch.path("link/t"));

    assertThat(check(rung, ref)).isEqualTo(new MountRef.Check.Present());

    Files.delete(scratch.file("link"));

    assertThat(check(rung, ref))
        .isEqualTo(
            new MountRef.Check.Moved(
                new MountRef(scratch.path("a/t"), ref.bootId(), ref.identity())));
  }

  @ParameterizedTest
  @EnumSource
  void noMountOutlivesTheBoot(Rung rung, Scratch scratch) {
    MountRef now = ref(rung, scratch.tmpfs("t"));
    MountRef old = new MountRef(now.path(), "another-boot", now.identity());

    assertThat(check(rung, old)).isEqualTo(new MountRef.Check.Replaced(now));
    assertThat(children(rung, old)).isEmpty();
    assertThat(scratch.rawUnmount(now.path(), 0)).isZero();
    assertThat(check(rung, old)).isEqualTo(new MountRef.Check.Gone());
  }

  @ParameterizedTest
  @EnumSource
  void aNumberThatAnotherMountGotIsNotTakenForTheMount(Rung rung, Scratch scratch) {
    MountPath path = scratch.tmpfs("t");
    MountRecord record = rung.with(table -> table.find(path)).orElseThrow();
    MountRef same = reusable(record, record.root());
    MountRef otherRoot = reusable(record, KernelText.of("/other"));
    MountRef otherDevice =
        new MountRef(
            path,
            same.bootId(),
            new MountRef.Identity.Reusable(record.id(), new DeviceId(4000, 1), record.root()));
    MountRef.Check replaced = new MountRef.Check.Replaced(ref(rung, path));

    assertThat(check(rung, same)).isEqualTo(new MountRef.Check.Present());
    assertThat(check(rung, otherRoot)).isEqualTo(replaced);
    assertThat(check(rung, otherDevice)).isEqualTo(replaced);
  }

  @ParameterizedTest
  @EnumSource
  void aMountIsPresentAfterItsSourceWasDeleted(Rung rung, Scratch scratch) throws IOException {
    MountPath target = scratch.directory("target");
    scratch.bind(scratch.directory("source"), target);
    MountRef ref = ref(rung, target);
    Files.delete(scratch.file("source"));

    assertThat(check(rung, ref)).isEqualTo(new MountRef.Check.Present());
  }

  @ParameterizedTest
  @EnumSource
  void aMountWhosePathBecameACircleIsGone(Rung rung, Scratch scratch) throws IOException {
    MountRef ref = ref(rung, scratch.tmpfs("a/t"));
    assertThat(scratch.rawUnmount(ref.path(), 0)).isZero();
    Files.delete(scratch.file("a/t"));
    Files.delete(scratch.file("a"));
    Files.createSymbolicLink(scratch.file("a"), Path.of("a"));

    assertThat(check(rung, ref)).isEqualTo(new MountRef.Check.Gone());
  }

  @ParameterizedTest
  @EnumSource
  void childrenAreThoseDirectlyOnIt(Rung rung, Scratch scratch) {
    MountPath parent = scratch.tmpfs("p");
    MountPath one = scratch.tmpfs("p/one");
    MountPath deep = scratch.tmpfs("p/one/deep");
    MountPath two = scratch.tmpfs("p/two");
    MountRef ref = ref(rung, parent);

    assertThat(children(rung, ref)).extracting(MountRecord::path).containsExactly(one, two);
    MountRef leaf = ref(rung, deep);
    assertThat(children(rung, leaf)).isEmpty();
    assertThat(scratch.rawUnmount(deep, 0)).isZero();
    assertThat(children(rung, leaf)).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  @NeedsRoot("/dev/fuse")
  void aHungMountIsPresentWithoutBeingAsked(Rung rung, Scratch scratch) {
    try (FuseServer server = FuseServer.mount(scratch.directory("v"))) {
      MountRef ref = ref(rung, server.target());
      server.hang();

      assertThat(check(rung, ref)).isEqualTo(new MountRef.Check.Present());
      assertThat(server.unanswered()).isZero();
    }
  }

  @Test
  @NeedsUniqueIds
  void aUniqueNumberIsNotGuessedAtWhereItCannotBeAsked(Scratch scratch) {
    MountRef ref = ref(Rung.NEWEST, scratch.tmpfs("t"));

    assertThatThrownBy(() -> check(Rung.REUSABLE_IDS, ref))
        .asInstanceOf(type(MountException.class))
        .extracting(MountException::reason)
        .isEqualTo(Reason.UNSUPPORTED);
  }

  private static MountRef reusable(MountRecord record, KernelText root) {
    return new MountRef(
        record.path(),
        record.ref().bootId(),
        new MountRef.Identity.Reusable(record.id(), record.device(), root));
  }

  private static MountRef ref(Rung rung, MountPath path) {
    MountProbe probe = rung.with(table -> table.probe(path));
    assertThat(probe).isInstanceOf(MountProbe.Mounted.class);
    return ((MountProbe.Mounted) probe).ref();
  }

  private static List<MountRecord> children(Rung rung, MountRef ref) {
    return rung.with(table -> table.children(ref));
  }

  private static MountRef.Check check(Rung rung, MountRef ref) {
    return rung.with(table -> table.check(ref));
  }
}
