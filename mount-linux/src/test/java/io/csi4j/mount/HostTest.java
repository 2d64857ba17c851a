package io.csi4j.mount;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.mount.internal.Bindings;
import io.csi4j.mount.model.BindRequest;
import io.csi4j.mount.model.FilesystemRequest;
import io.csi4j.mount.model.KernelText;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountException.Reason;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRef;
import io.csi4j.mount.model.MountSettings;
import io.csi4j.mount.model.Propagation;
import io.csi4j.mount.model.UnmountPolicy;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** A machine where mounts cannot be had: it is asked all the same, and says why not. */
class HostTest {

  private static final MountPath PATH = MountPath.of("/a");
  private static final MountRef REF =
      new MountRef(PATH, "boot", new MountRef.Identity.Unique(0x1_0000_0001L));

  @Test
  void everyOperationSaysThatThisIsNotLinux() {
    Host host =
        Host.of(
            "Mac OS X",
            () -> {
              throw new AssertionError("must not be loaded");
            });

    for (ThrowingCallable operation : operations(host)) {
      MountException refused = catchThrowableOfType(MountException.class, operation);
      assertThat(refused.reason()).isEqualTo(Reason.NOT_LINUX);
      assertThat(refused)
          .hasMessage(
              "Mounts can be read and changed on Linux only, and this is Mac OS X. Run it on"
                  + " Linux, or test with the mounts in memory of csi4j-testkit-mounts.");
    }
    assertThat(catchThrowableOfType(MountException.class, () -> host.table().list()).reason())
        .isEqualTo(Reason.NOT_LINUX);
    assertThat(host.mounts().apply(MountSettings.DEFAULT).stuckCalls()).isZero();
  }

  @Test
  void withoutTheNativeLibraryTheTableIsListedAndAllElseSaysWhatToDo() {
    UnsatisfiedLinkError cause = new UnsatisfiedLinkError("noexec");
    Host host =
        Host.of(
            "Linux",
            () -> {
              throw cause;
            });

    for (ThrowingCallable operation : operations(host)) {
      MountException refused = catchThrowableOfType(MountException.class, operation);
      assertThat(refused.reason()).isEqualTo(Reason.NO_NATIVE_ACCESS);
      assertThat(refused).hasCause(cause).hasMessageContaining("-Djna.tmpdir");
    }
    assertThat(host.table().list().records())
        .anyMatch(record -> record.path().equals(MountPath.ROOT));
  }

  /** JNA starts a thread when it is first used. */
  @Test
  void nativeAccessThatFailedForWantOfThreadsIsTriedAgain() {
    List<Throwable> failures =
        new ArrayList<>(List.of(new OutOfMemoryError("unable to create native thread")));
    Host.Shared shared =
        new Host.Shared(
            "Linux",
            () -> {
              if (!failures.isEmpty()) {
                throw new IllegalStateException("JNA: no thread", failures.remove(0));
              }
              return Bindings.load(null, System.getProperty("os.arch"));
            });

    assertThatExceptionOfType(MountException.class)
        .isThrownBy(() -> shared.host().table().probe(MountPath.ROOT))
        .withMessage(
            "System calls cannot be made from this JVM: JNA: no thread. Give it more threads or"
                + " memory (ulimit -u, pids.max of its cgroup, -Xmx), and call again: every"
                + " call tries again.");

    assertThat(shared.host().table().probe(MountPath.ROOT).isMount()).isTrue();
    assertThat(shared.mounts()).isSameAs(shared.mounts());
    assertThat(shared.host()).isSameAs(shared.host());
  }

  @Test
  void jnaIsTriedAgainInAJvmThatHadNoThreadForIt() throws IOException {
    List<String> printed = StarvedHost.run();

    assertThat(printed)
        .filteredOn(line -> line.startsWith("System calls cannot be made from this JVM"))
        .singleElement()
        .asString()
        .contains("-Dcsi4j.mount.binding=jna: java.lang.OutOfMemoryError: ")
        .endsWith(" and call again: every call tries again.");
    assertThat(printed).endsWith("true", "JNA: -Dcsi4j.mount.binding=jna asks for it");
  }

  @Test
  void nativeAccessThatCannotBeHadIsTriedOnce() {
    AtomicInteger tries = new AtomicInteger();
    Host.Shared shared =
        new Host.Shared(
            "Linux",
            () -> {
              tries.incrementAndGet();
              throw new UnsatisfiedLinkError("noexec");
            });

    assertThat(shared.host()).isSameAs(shared.host());
    assertThat(tries).hasValue(1);
  }

  @Test
  void aLibraryOfAnotherVersionIsNoEndOfTheClass() {
    Error cause = new Error("There is an incompatible JNA native library installed");
    Host host =
        Host.of(
            "Linux",
            () -> {
              throw cause;
            });

    for (ThrowingCallable operation : operations(host)) {
      MountException refused = catchThrowableOfType(MountException.class, operation);
      assertThat(refused.reason()).isEqualTo(Reason.NO_NATIVE_ACCESS);
      assertThat(refused).hasCause(cause);
    }
  }

  @Test
  void aProcessorWhoseCallNumbersAreNotKnownIsNotGuessed() {
    Host host = Host.of("Linux", () -> Bindings.load(null, "s390x"));

    MountException refused =
        catchThrowableOfType(MountException.class, () -> host.table().probe(PATH));
    assertThat(refused.reason()).isEqualTo(Reason.NO_NATIVE_ACCESS);
    assertThat(refused)
        .hasMessageStartingWith(
            "System calls cannot be made from this JVM: the system call numbers of s390x are"
                + " unknown. ");
  }

  private static List<ThrowingCallable> operations(Host host) {
    MountTable table = host.table();
    Mounts mounts = host.mounts().apply(MountSettings.DEFAULT).beneath(PATH);
    return List.of(
        () -> table.probe(PATH),
        () -> table.find(PATH),
        () -> table.check(REF),
        () -> table.children(REF),
        () -> mounts.bind(BindRequest.builder(PATH, PATH).build()),
        () ->
            mounts.mount(FilesystemRequest.builder("tmpfs", KernelText.of("tmpfs"), PATH).build()),
        () -> mounts.setReadOnly(PATH, true),
        () -> mounts.setPropagation(PATH, Propagation.PRIVATE, true),
        () -> mounts.unmount(PATH, UnmountPolicy.PLAIN),
        () -> mounts.unmount(REF, UnmountPolicy.PLAIN),
        () -> mounts.cleanup(PATH, UnmountPolicy.PLAIN),
        () -> mounts.whoHolds(REF),
        () -> host.watch().start(event -> {}),
        () -> host.capabilities().get());
  }
}
