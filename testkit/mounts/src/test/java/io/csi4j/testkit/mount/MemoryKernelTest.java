package io.csi4j.testkit.mount;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.mount.MountWatch.Watching;
import io.csi4j.mount.Mounts;
import io.csi4j.mount.model.BindRequest;
import io.csi4j.mount.model.CleanupResult;
import io.csi4j.mount.model.DeviceId;
import io.csi4j.mount.model.Errno;
import io.csi4j.mount.model.FilesystemRequest;
import io.csi4j.mount.model.Holder;
import io.csi4j.mount.model.KernelText;
import io.csi4j.mount.model.MountEvent;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountException.Reason;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountProbe;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.MountRef;
import io.csi4j.mount.model.MountResult;
import io.csi4j.mount.model.MountSnapshot;
import io.csi4j.mount.model.Propagation;
import io.csi4j.mount.model.UnmountPolicy;
import io.csi4j.mount.model.UnmountResult.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** What the kernel in memory has beyond the contract: devices, servers, faults, reboots. */
class MemoryKernelTest {

  private static final DeviceId DISK = new DeviceId(8, 16);

  private final MemoryKernel kernel = new MemoryKernel();
  private final MemoryNamespace host = kernel.host();
  private final Mounts mounts = kernel.mounts();
  private final MountPath target = host.directory(at("/target"));

  private static MountException refusal(Reason reason, ThrowingCallable call) {
    MountException refusal = catchThrowableOfType(MountException.class, call);
    assertThat(refusal).isNotNull();
    assertThat(refusal.reason()).as(refusal.getMessage()).isEqualTo(reason);
    return refusal;
  }

  private static FilesystemRequest.Builder filesystem(
      String type, String source, MountPath target) {
    return FilesystemRequest.builder(type, KernelText.of(source), target);
  }

  private MountRecord record(MountPath path) {
    return kernel.table().find(path).orElseThrow();
  }

  private void disk() {
    host.device(at("/dev/sdb"), DISK);
    kernel.format(DISK, "ext4");
  }

  private boolean isMount(MountPath path) {
    return kernel.table().probe(path).isMount();
  }

  @Test
  void itHasNoProcessesToAsk() {
    refusal(Reason.NO_MOUNT_TABLE, () -> kernel.table().listOf(1));
  }

  @Test
  void aNewHostHasItsRootDirectoryOnly() {
    List<MountRecord> all = kernel.table().list().records();

    assertThat(all).hasSize(1);
    assertThat(all.get(0).path()).isEqualTo(MountPath.ROOT);
    assertThat(all.get(0).parentId()).isEqualTo(all.get(0).id());
  }

  @Test
  void oldNumbersAreGivenAgainAndUniqueOnesNever() {
    host.tmpfs(at("/target"));
    MountRecord first = record(target);
    mounts.unmount(target, UnmountPolicy.PLAIN);
    host.tmpfs(at("/target"));
    MountRecord second = record(target);

    assertThat(second.id()).isEqualTo(first.id());
    assertThat(second.ref().identity()).isNotEqualTo(first.ref().identity());
    assertThat(kernel.table().check(first.ref()))
        .isEqualTo(new MountRef.Check.Replaced(second.ref()));
  }

  @Test
  void theNumberOfALazilyUnmountedMountIsKeptWhileItIsInUse() {
    host.tmpfs(at("/target"));
    int id = record(target).id();
    try (OpenHandle held = host.open(at("/target"))) {
      mounts.unmount(target, UnmountPolicy.PLAIN.withLazy());
      host.tmpfs(at("/target"));
      assertThat(record(target).id()).isNotEqualTo(id);
      assertThat(held.pid()).isPositive();
    }
    host.tmpfs(at("/target"));

    assertThat(record(target).id()).isEqualTo(id);
  }

  @Test
  void whatIsOnADiskOutlivesItsMounts() {
    disk();
    mounts.mount(filesystem("ext4", "/dev/sdb", target).build());
    host.file(at("/target/file"), "data");
    mounts.unmount(target, UnmountPolicy.PLAIN);
    assertThat(host.exists(at("/target/file"))).isFalse();

    MountPath other = host.directory(at("/other"));
    mounts.mount(filesystem("ext4", "/dev/sdb", other).build());

    assertThat(host.content(at("/other/file"))).contains("data");
    assertThat(record(other).device()).isEqualTo(DISK);
  }

  @Test
  void aDiskThatIsMountedTwiceIsOneFilesystemAndEitherWritableOrNot() {
    disk();
    mounts.mount(filesystem("ext4", "/dev/sdb", target).build());
    MountPath other = host.directory(at("/other"));

    MountException refusal =
        refusal(
            Reason.BUSY,
            () -> mounts.mount(filesystem("ext4", "/dev/sdb", other).readOnly(true).build()));
    assertThat(refusal.errno()).contains(new Errno(KernelRefusal.EBUSY));
    mounts.mount(filesystem("ext4", "/dev/sdb", other).build());
    host.file(at("/target/file"), "x");

    assertThat(host.exists(at("/other/file"))).isTrue();
    assertThatThrownBy(() -> kernel.format(DISK, "ext4")).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aDiskWithoutThatFilesystemIsABadSource() {
    disk();
    host.file(at("/image"), "x");

    assertThat(
            refusal(
                    Reason.BAD_SOURCE,
                    () -> mounts.mount(filesystem("xfs", "/dev/sdb", target).build()))
                .errno())
        .contains(new Errno(KernelRefusal.EINVAL));
    assertThat(
            refusal(
                    Reason.BAD_SOURCE,
                    () -> mounts.mount(filesystem("ext4", "/image", target).build()))
                .errno())
        .contains(new Errno(KernelRefusal.ENOTBLK));
    kernel.wipe(DISK);
    refusal(Reason.BAD_SOURCE, () -> mounts.mount(filesystem("ext4", "/dev/sdb", target).build()));
    refusal(Reason.BAD_SOURCE, () -> mounts.mount(filesystem("ext4", "/dev/no", target).build()));
  }

  @Test
  void aDeviceNodeIsBoundOnAFile() {
    MountPath device = host.device(at("/dev/sdb"), DISK);
    MountPath file = MountPath.of("/volume");

    mounts.bind(BindRequest.builder(device, file).createTarget(true).readOnly(true).build());

    assertThat(record(file).isReadOnly()).isTrue();
    assertThat(mounts.cleanup(file, UnmountPolicy.PLAIN).outcome())
        .isEqualTo(CleanupResult.Outcome.REMOVED);
    assertThat(host.exists(at("/dev/sdb"))).isTrue();
  }

  @Test
  void nothingIsWrittenThroughAReadOnlyMount() {
    host.tmpfs(at("/target"));
    mounts.setReadOnly(target, false);

    refusal(Reason.READ_ONLY, () -> host.file(at("/target/file")));
    refusal(Reason.READ_ONLY, () -> host.openForWriting(at("/target")));
    BindRequest request =
        BindRequest.builder(host.directory(at("/source")), target.resolve("x"))
            .createTarget(true)
            .build();
    refusal(Reason.READ_ONLY, () -> mounts.bind(request));
  }

  @Test
  void aNamespaceHasNoMoreMountsThanItMay() {
    host.tmpfs(at("/target"));
    kernel.mountMax(2);

    MountException refusal =
        refusal(
            Reason.LIMIT,
            () ->
                mounts.mount(
                    filesystem("tmpfs", "x", MountPath.of("/made")).createTarget(true).build()));

    assertThat(refusal.errno()).contains(new Errno(KernelRefusal.ENOSPC));
    assertThat(host.exists(at("/made"))).isFalse();
    assertThat(kernel.table().list().records()).hasSize(2);
  }

  @Test
  void theLimitHoldsForWhatIsSharedToo() {
    host.tmpfs(at("/target"));
    mounts.setPropagation(target, Propagation.BIDIRECTIONAL, false);
    host.directory(at("/target/below"));
    try (MemoryNamespace other = host.unshare()) {
      other.directory(at("/more"));
      other.tmpfs(at("/more"));
      kernel.mountMax(3);

      refusal(Reason.LIMIT, () -> host.tmpfs(at("/target/below")));

      assertThat(kernel.table().list().records()).hasSize(2);
      assertThat(other.table().list().records()).hasSize(3);
    }
  }

  @Test
  void aMountElsewhereIsAHolder() {
    host.tmpfs(at("/target"));
    try (MemoryNamespace other = host.unshare()) {
      assertThat(mounts.whoHolds(record(target).ref()).found())
          .singleElement()
          .isInstanceOfSatisfying(
              Holder.Elsewhere.class, there -> assertThat(there.path()).isEqualTo(target));
      assertThat(other.table().probe(target).isMount()).isTrue();
    }
    assertThat(mounts.whoHolds(record(target).ref()).found()).isEmpty();
  }

  @Test
  void aDeadServerIsSeenAndItsMountTakenAway() {
    mounts.mount(filesystem("fuse", "server", target).build());
    assertThat(health()).isEqualTo(MountProbe.Health.UNKNOWN);

    host.server(at("/target"), ServerState.DEAD);

    assertThat(health()).isEqualTo(MountProbe.Health.DEAD);
    refusal(Reason.BROKEN, () -> host.file(at("/target/file")));
    assertThat(mounts.unmount(target, UnmountPolicy.PLAIN).step()).isEqualTo(Step.PLAIN);
  }

  private MountProbe.Health health() {
    return ((MountProbe.Mounted) kernel.table().probe(target)).health();
  }

  @Test
  void aServerThatDeniesIsDenied() {
    mounts.mount(filesystem("fuse", "server", target).build());

    host.server(at("/target"), ServerState.DENYING);

    assertThat(health()).isEqualTo(MountProbe.Health.DENIED);
  }

  @Test
  void whoWaitsForAHungServerKeepsItsMountUntilItIsForced() {
    mounts.mount(filesystem("nfs4", "server:/export", target).build());
    host.server(at("/target"), ServerState.HUNG);
    try (OpenHandle waiting = host.open(at("/target"))) {
      assertThat(health()).isEqualTo(MountProbe.Health.UNKNOWN);
      refusal(Reason.BUSY, () -> mounts.unmount(target, UnmountPolicy.PLAIN));

      assertThat(mounts.unmount(target, UnmountPolicy.PLAIN.withForce()).step())
          .isEqualTo(Step.FORCED);
      assertThat(waiting.pid()).isPositive();
    }
  }

  @Test
  void forceDoesNotFreeWhatIsOpenOtherwise() {
    mounts.mount(filesystem("nfs4", "server:/export", target).build());
    try (OpenHandle open = host.open(at("/target"))) {
      refusal(Reason.BUSY, () -> mounts.unmount(target, UnmountPolicy.PLAIN.withForce()));
      assertThat(open.pid()).isPositive();
    }
  }

  @Test
  void theNextCallFailsAsItWasAskedAndLeavesNothing() {
    kernel.failNext(KernelCall.BIND, new Errno(KernelRefusal.EPERM));
    BindRequest request =
        BindRequest.builder(host.directory(at("/source")), MountPath.of("/made"))
            .createTarget(true)
            .build();

    MountException refusal = refusal(Reason.NOT_PERMITTED, () -> mounts.bind(request));

    assertThat(refusal.errno()).contains(new Errno(KernelRefusal.EPERM));
    assertThat(host.exists(at("/made"))).isFalse();
    assertThat(mounts.bind(request).created()).isTrue();
  }

  @Test
  void eachKindOfCallCanFail() {
    host.tmpfs(at("/target"));
    Errno errno = new Errno(KernelRefusal.EPERM);
    for (KernelCall call : KernelCall.values()) {
      kernel.failNext(call, errno);
    }

    refusal(Reason.NOT_PERMITTED, () -> kernel.table().probe(target));
    refusal(Reason.NOT_PERMITTED, () -> kernel.table().list());
    refusal(
        Reason.NOT_PERMITTED,
        () -> mounts.bind(BindRequest.builder(target, host.directory(at("/x"))).build()));
    refusal(
        Reason.NOT_PERMITTED,
        () -> mounts.mount(filesystem("tmpfs", "x", host.directory(at("/x"))).build()));
    refusal(Reason.NOT_PERMITTED, () -> mounts.setReadOnly(target, false));
    refusal(Reason.NOT_PERMITTED, () -> mounts.setPropagation(target, Propagation.PRIVATE, false));
    refusal(Reason.NOT_PERMITTED, () -> mounts.unmount(target, UnmountPolicy.PLAIN));
    refusal(Reason.NOT_PERMITTED, () -> mounts.cleanup(target, UnmountPolicy.PLAIN));
    assertThat(mounts.cleanup(target, UnmountPolicy.PLAIN).outcome())
        .isEqualTo(CleanupResult.Outcome.REMOVED);
  }

  @Test
  void aCallThatHangsIsCountedUntilItIsReleased() {
    host.tmpfs(at("/target"));
    StuckCall stuck = kernel.hangNext(KernelCall.UNMOUNT);

    refusal(Reason.DEADLINE, () -> mounts.unmount(target, UnmountPolicy.PLAIN));

    assertThat(isMount(target)).isTrue();
    assertThat(mounts.stuckCalls()).isEqualTo(1);
    stuck.release();
    assertThat(mounts.stuckCalls()).isZero();
    assertThat(mounts.unmount(target, UnmountPolicy.PLAIN).step()).isEqualTo(Step.PLAIN);
  }

  @Test
  void whenAllThreadsAreStuckNoMoreCallsAreMade() {
    List<StuckCall> stuck = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      stuck.add(kernel.hangNext(KernelCall.MOUNT));
      refusal(Reason.DEADLINE, () -> mounts.mount(filesystem("tmpfs", "x", target).build()));
    }

    refusal(Reason.STUCK, () -> mounts.unmount(target, UnmountPolicy.PLAIN));
    stuck.forEach(StuckCall::release);

    assertThat(mounts.unmount(target, UnmountPolicy.PLAIN).step()).isEqualTo(Step.NOT_MOUNTED);
  }

  @Test
  void aRebootTakesAllMountsAndKeepsTheDisks() {
    disk();
    mounts.mount(filesystem("ext4", "/dev/sdb", target).build());
    host.file(at("/target/file"), "data");
    host.file(at("/etc/file"), "x");
    MountRef before = record(target).ref();
    MountSnapshot snapshot = kernel.table().list();
    String boot = kernel.bootId();
    OpenHandle held = host.open(at("/target"));

    kernel.reboot();

    assertThat(kernel.bootId()).isNotEqualTo(boot);
    assertThat(kernel.table().list().records()).hasSize(1);
    assertThat(kernel.table().check(before)).isEqualTo(new MountRef.Check.Gone());
    assertThat(snapshot.refresh().removed()).hasSize(2);
    assertThat(snapshot.refresh().added()).hasSize(1);
    assertThat(host.exists(at("/etc/file"))).isTrue();
    held.close();
    MountResult again = mounts.mount(filesystem("ext4", "/dev/sdb", target).build());
    assertThat(host.content(at("/target/file"))).contains("data");
    assertThat(again.ref().identity()).isEqualTo(before.identity());
    assertThat(kernel.table().check(before)).isEqualTo(new MountRef.Check.Replaced(again.ref()));
  }

  @Test
  void eventsAreToldInOrderBeforeTheCallReturns() {
    List<String> told = new ArrayList<>();
    try (Watching watching =
        kernel
            .watch()
            .start(
                event -> {
                  told.add(describe(event));
                  if (told.size() == 1) {
                    // A change made by a listener is told after the one that it is told of.
                    mounts.setReadOnly(target, false);
                    told.add("end of the first");
                  }
                })) {
      host.tmpfs(at("/target"));
      mounts.unmount(target, UnmountPolicy.PLAIN);
      assertThat(watching.source()).isNotEmpty();
    }

    assertThat(told)
        .containsExactly(
            "Attached /target", "end of the first", "Changed /target", "Detached /target");
  }

  private static String describe(MountEvent event) {
    if (event instanceof MountEvent.Attached attached) {
      return "Attached " + attached.mount().path();
    }
    if (event instanceof MountEvent.Detached detached) {
      return "Detached " + detached.mount().path();
    }
    return event instanceof MountEvent.Changed changed ? "Changed " + changed.now().path() : "?";
  }

  @Test
  void manyThreadsMayChangeIt() throws Exception {
    int threads = 4;
    CountDownLatch ready = new CountDownLatch(threads);
    List<MountEvent> events = new ArrayList<>();
    try (Watching watching = kernel.watch().start(events::add)) {
      List<Thread> running = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        MountPath mine = host.directory(at("/own/" + i));
        Thread thread =
            new Thread(
                () -> {
                  ready.countDown();
                  for (int n = 0; n < 200; n++) {
                    host.tmpfs(mine);
                    mounts.unmount(mine, UnmountPolicy.PLAIN);
                  }
                });
        thread.start();
        running.add(thread);
      }
      for (Thread thread : running) {
        thread.join();
      }
    }

    assertThat(kernel.table().list().records()).hasSize(1);
    assertThat(events).hasSize(threads * 400);
  }

  private static MountPath at(String path) {
    return MountPath.of(path);
  }
}
