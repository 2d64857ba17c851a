package io.csi4j.mount.internal.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.mount.RunningKernel;
import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.internal.kernel.Struct;
import io.csi4j.mount.internal.kernel.Syscalls;
import io.csi4j.mount.model.KernelText;
import io.csi4j.mount.model.MountFlag;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.MountRef;
import io.csi4j.mount.model.Propagation;
import io.csi4j.mount.real.MountTest;
import io.csi4j.mount.real.NeedsUniqueIds;
import io.csi4j.mount.real.Scratch;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Cases T of the mount facts: one mount by its number is what its row in the text table is. */
@MountTest
@NeedsUniqueIds
class StatmountTest {

  private final Kernel kernel = RunningKernel.kernel();
  private final StatmountReader reader = new StatmountReader(kernel);

  @Test
  void everyMountIsTheSameByItsNumberAsByItsRow(Scratch scratch) {
    oddMounts(scratch);

    List<MountRecord> rows = new TableReader(kernel).read(mount -> true).records();

    assertThat(rows).hasSizeGreaterThan(10);
    for (MountRecord row : rows) {
      long id = ((MountRef.Identity.Unique) row.ref().identity()).id();
      assertThat(reader.record(id)).contains(row);
    }
  }

  /** Mounts of every kind that this kernel makes without a device. */
  static void oddMounts(Scratch scratch) {
    scratch.directory("empty source");
    scratch.rawMount("", scratch.file("empty source"), "tmpfs", 0, "size=64k");
    scratch.directory("no source");
    int made =
        RunningKernel.kernel()
            .calls()
            .mount(null, Abi.path(scratch.path("no source")), Abi.path("tmpfs"), 0, null);
    assertThat(made).isZero();
    scratch.directory("hash");
    scratch.rawMount("a#b c\\d\te", scratch.file("hash"), "tmpfs", 0, "size=64k,mode=700");
    MountPath flags = scratch.directory("flags");
    scratch.rawMount(
        "flags",
        scratch.file("flags"),
        "tmpfs",
        Abi.MS_RDONLY
            | Abi.MS_NOSUID
            | Abi.MS_NODEV
            | Abi.MS_NOEXEC
            | Abi.MS_NOSYMFOLLOW
            | Abi.MS_NOATIME
            | Abi.MS_NODIRATIME
            | Abi.MS_SYNCHRONOUS
            | Abi.MS_DIRSYNC
            | Abi.MS_LAZYTIME,
        null);
    assertThat(scratch.rows(flags)).hasSize(1);
    scratch.directory("strict");
    scratch.rawMount("strict", scratch.file("strict"), "tmpfs", Abi.MS_STRICTATIME, null);
    MountPath deleted = scratch.directory("deleted");
    scratch.bind(deleted, scratch.directory("of deleted"));
    assertThat(scratch.file("deleted").toFile().delete()).isTrue();
    MountPath file = scratch.file("file", "content");
    scratch.bind(file, scratch.file("file 2", ""));
    MountPath shared = scratch.tmpfs("shared");
    change(scratch, shared, Abi.MS_SHARED);
    scratch.bind(shared, scratch.directory("slave"));
    change(scratch, scratch.path("slave"), Abi.MS_SLAVE);
    scratch.bind(shared, scratch.directory("both"));
    change(scratch, scratch.path("both"), Abi.MS_SLAVE);
    change(scratch, scratch.path("both"), Abi.MS_SHARED);
    change(scratch, scratch.tmpfs("unbindable"), Abi.MS_UNBINDABLE);
    scratch.directory("lower,1");
    scratch.directory("upper");
    scratch.directory("overlay");
    scratch.rawMount(
        "overlay",
        scratch.file("overlay"),
        "overlay",
        0,
        "lowerdir=" + scratch.file("upper") + ":" + scratch.root() + "/lower\\,1,userxattr");
  }

  private static void change(Scratch scratch, MountPath path, long flag) {
    int changed = RunningKernel.kernel().calls().mount(null, Abi.path(path), null, flag, null);
    assertThat(changed).isZero();
    assertThat(scratch.rows(path)).isNotEmpty();
  }

  @Test
  void whatItSaysIsWhatWasMounted(Scratch scratch) {
    oddMounts(scratch);
    var snapshot = new TableReader(kernel).read(mount -> true);

    MountRecord flags = snapshot.at(scratch.path("flags")).orElseThrow();
    assertThat(flags.flags())
        .containsExactlyInAnyOrder(
            MountFlag.READ_ONLY,
            MountFlag.NOSUID,
            MountFlag.NODEV,
            MountFlag.NOEXEC,
            MountFlag.NOATIME,
            MountFlag.NODIRATIME,
            MountFlag.NOSYMFOLLOW);
    assertThat(snapshot.at(scratch.path("empty source")).orElseThrow().source().isEmpty()).isTrue();
    assertThat(snapshot.at(scratch.path("no source")).orElseThrow().source())
        .isEqualTo(KernelText.of("none"));
    assertThat(snapshot.at(scratch.path("unbindable")).orElseThrow().propagation().unbindable())
        .isTrue();
    assertThat(snapshot.at(scratch.path("strict")).orElseThrow().flags()).isEmpty();
    assertThat(snapshot.at(scratch.path("of deleted")).orElseThrow().isDeleted()).isTrue();
    Propagation.Tags both = snapshot.at(scratch.path("both")).orElseThrow().propagation();
    assertThat(both.peerGroup()).isPresent();
    assertThat(both.master()).isPresent();
  }

  /** As 6.8 to 6.12 are: it does not give the source, the subtype and the options. */
  @Test
  void whatAnOlderKernelDoesNotSayIsTakenFromTheText(Scratch scratch) {
    oddMounts(scratch);
    int[] reads = {0};
    Kernel older =
        kernel.with(
            calls(
                (call, arguments) -> {
                  if (call.equals("statmount")) {
                    reads[0]++;
                    byte[] request = ((byte[]) arguments[0]).clone();
                    long unknown =
                        Abi.STATMOUNT_MNT_OPTS | Abi.STATMOUNT_FS_SUBTYPE | Abi.STATMOUNT_SB_SOURCE;
                    Struct.u64(request, 16, Struct.u64(request, 16) & ~unknown);
                    return kernel.calls().statmount(request, (byte[]) arguments[1]);
                  }
                  return null;
                }),
            kernel.features());
    List<MountRecord> rows = new TableReader(kernel).read(mount -> true).records();

    long[] ids = rows.stream().mapToLong(StatmountTest::uniqueId).toArray();
    assertThat(new StatmountReader(older).records(ids)).isEqualTo(rows);
    assertThat(reads[0]).isEqualTo(3 * rows.size());
    assertThat(new StatmountReader(older).record(ids[ids.length - 1]))
        .contains(rows.get(rows.size() - 1));
  }

  /** The number that the text has may be another mount's by the time it is read. */
  @Test
  void aRowOfAnotherMountIsNotTaken(Scratch scratch) {
    scratch.directory("empty source");
    scratch.rawMount("", scratch.file("empty source"), "tmpfs", 0, "size=64k");
    MountPath other = scratch.tmpfs("other");
    MountRecord mine = top(scratch.path("empty source"));
    int others = top(other).id();
    int[] reads = {0};
    Kernel confused =
        kernel.with(
            calls(
                (call, arguments) -> {
                  if (call.equals("statmount") && reads[0]++ < 4) {
                    byte[] out = (byte[]) arguments[1];
                    int read = kernel.calls().statmount((byte[]) arguments[0], out);
                    Struct.u32(out, Abi.STATMOUNT_AT_MNT_ID_OLD, others);
                    return read;
                  }
                  return null;
                }),
            kernel.features());

    assertThat(new StatmountReader(confused).record(uniqueId(mine))).contains(mine);
    assertThat(reads[0]).as("two looks with the wrong number, one with the right one").isEqualTo(7);
  }

  @Test
  void aMountThatIsGoneIsNothing(Scratch scratch) {
    MountPath path = scratch.tmpfs("gone");
    long id = uniqueId(top(path));
    assertThat(reader.path(id)).contains(path);
    assertThat(reader.type(id)).contains(KernelText.of("tmpfs"));
    assertThat(reader.parent(id)).hasValue(uniqueId(top(scratch.root())));
    assertThat(reader.textId(id)).contains(top(path).id());
    assertThat(scratch.rawUnmount(path, 0)).isZero();

    for (long none : new long[] {id, 0, 1, -5, Long.MAX_VALUE}) {
      assertThat(reader.record(none)).isEmpty();
      assertThat(reader.path(none)).isEmpty();
      assertThat(reader.type(none)).isEmpty();
      assertThat(reader.parent(none)).isEmpty();
      assertThat(reader.textId(none)).isEmpty();
    }
  }

  private MountRecord top(MountPath path) {
    return new TableReader(kernel).read(mount -> true).at(path).orElseThrow();
  }

  private static long uniqueId(MountRecord mount) {
    return ((MountRef.Identity.Unique) mount.ref().identity()).id();
  }

  /** The kernel's calls, of which some are answered in its place; a null is not an answer. */
  static Syscalls calls(BiFunction<String, Object[], @Nullable Integer> instead) {
    Syscalls real = RunningKernel.kernel().calls();
    return (Syscalls)
        Proxy.newProxyInstance(
            Syscalls.class.getClassLoader(),
            new Class<?>[] {Syscalls.class},
            (proxy, method, arguments) -> {
              Integer answer = instead.apply(method.getName(), arguments);
              return answer != null ? answer : method.invoke(real, arguments);
            });
  }
}
