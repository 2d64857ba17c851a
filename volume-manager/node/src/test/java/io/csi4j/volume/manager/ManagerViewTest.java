package io.csi4j.volume.manager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.tuple;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeId;
import io.csi4j.mount.model.MountPath;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.volume.internal.port.KernelMounts;
import io.csi4j.volume.internal.port.Sighting;
import io.csi4j.volume.internal.real.SystemKernelMounts;
import io.csi4j.volume.internal.record.Place;
import io.csi4j.volume.manager.ManagerView.PendingCall;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.MountPolicy.DeadUnmount;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorException;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeException.Outcome;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.ManagerSettings;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.PathStatus;
import io.csi4j.volume.node.UnmountOutcome;
import io.csi4j.volume.node.VolumeStatus;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.RegisteredPlugin;
import io.csi4j.volume.state.JournalSettings;
import io.csi4j.volume.state.StateException;
import io.csi4j.volume.state.Uncertainty;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The directory of a manager, read from outside. */
class ManagerViewTest {

  private static final PluginId PLUGIN = PluginId.of("fake.csi4j.example");
  private static final VolumeId HANDLE = VolumeId.of("vol-1");
  private static final VolumeIdentity VOLUME = new VolumeIdentity(PLUGIN, HANDLE);
  private static final VolumeUse WEB = VolumeUse.of(VolumeKey.of("db"), WorkloadId.of("web-1"));

  @TempDir private Path temp;
  private FakeCsiPlugin fake;

  @BeforeEach
  void openPlugin() {
    fake = FakeCsiPlugin.open(PluginShape.nodeOnly());
    fake.addVolume(HANDLE);
  }

  @AfterEach
  void closePlugin() {
    fake.close();
  }

  private Path root() {
    return temp.resolve("root");
  }

  private VolumeManager manager() {
    return VolumeManager.builder(root())
        .journal(JournalSettings.builder().acceptAnyFilesystem(true).build())
        .settings(ManagerSettings.builder().closing(Duration.ofMillis(200)).build())
        .plugin(
            PluginBinding.builder(PLUGIN, fake.nodeEndpoint())
                .policy(MountPolicy.builder().requireMount(false).build())
                .build())
        .open();
  }

  private void mounted(VolumeManager manager) {
    assertThat(
            manager
                .mount(
                    MountRequest.builder(PLUGIN, WEB, HANDLE, AccessMode.SINGLE_NODE_WRITER)
                        .build())
                .path())
        .exists();
  }

  @Test
  void aRunningManagerIsReadAndGoesOn() {
    try (VolumeManager manager = manager()) {
      mounted(manager);

      ManagerView view = ManagerView.read(root());

      assertThat(view.journal().isHeld()).isTrue();
      assertThat(view.volumes()).hasSize(1);
      VolumeStatus volume = view.volumes().get(0);
      assertThat(volume.handle()).isEqualTo(HANDLE);
      assertThat(volume.staging()).isEqualTo(PathStatus.PRESENT);
      assertThat(volume.uses()).extracting(VolumeStatus.Use::key).containsExactly(WEB);
      assertThat(view.start().adopted()).containsExactly(WEB);
      assertThat(view.pending()).isEmpty();
      assertThat(view.plugins())
          .extracting(RegisteredPlugin::registration)
          .extracting(PluginRegistration::id, it -> it.binding().endpoint())
          .containsExactly(tuple(PLUGIN, fake.nodeEndpoint()));
      assertThat(view.claims()).isEmpty();
      assertThat(view.paths())
          .extracting(ManagerView.VolumePath::use)
          .containsExactly(Optional.empty(), Optional.of(WEB));
      assertThat(view.paths())
          .extracting(ManagerView.VolumePath::path)
          .last()
          .isEqualTo(volume.uses().get(0).path());

      manager.unmount(WEB);
      ManagerView after = ManagerView.read(root());
      assertThat(after.volumes()).isEmpty();
      assertThat(after.givenBack()).containsExactly(VOLUME);
    }
  }

  @Test
  void aVolumeThatIsMountedAgainIsNotCountedAsGivenBack() {
    try (VolumeManager manager = manager()) {
      mounted(manager);
      manager.unmount(WEB);
      mounted(manager);

      ManagerView view = ManagerView.read(root());

      assertThat(view.volumes()).extracting(VolumeStatus::handle).containsExactly(HANDLE);
      assertThat(view.givenBack()).isEmpty();
    }
  }

  private static String line(ManagerView view, OperatorCode code) {
    return view.start().findings().stream()
        .filter(message -> message.code() == code)
        .map(OperatorMessage::line)
        .findFirst()
        .orElse("none");
  }

  @Test
  void whatAStartFindsIsCountedByWhatBecomesOfIt() {
    VolumeUse other = VolumeUse.of(VolumeKey.of("logs"), WorkloadId.of("web-1"));
    VolumeUse third = VolumeUse.of(VolumeKey.of("cache"), WorkloadId.of("web-1"));
    try (VolumeManager manager = manager()) {
      mounted(manager);
      for (VolumeUse use : List.of(other, third)) {
        VolumeId handle = VolumeId.of("vol-" + use.volume().id());
        fake.addVolume(handle);
        assertThat(
                manager.mount(
                    MountRequest.builder(PLUGIN, use, handle, AccessMode.SINGLE_NODE_WRITER)
                        .build()))
            .isNotNull();
      }
      fake.inject(
          Fault.fail(StatusCode.INTERNAL, "no"), When.calling(CsiOperation.NODE_UNPUBLISH_VOLUME));
      var unused = manager.async().unmount(WEB);
      while (fake.journal().calls(CsiOperation.NODE_UNPUBLISH_VOLUME).isEmpty()) {
        LockSupport.parkNanos(100_000);
      }
    }

    ManagerView view = ManagerView.read(root());

    assertThat(line(view, OperatorCode.ADOPTED))
        .isEqualTo(
            "CSI-101 ADOPTED: finding volumes again: 2 recorded uses were found mounted; workloads"
                + " kept running; no plugin was called."
                + " No action needed.");
    assertThat(line(view, OperatorCode.WAITING_FOR_HOST))
        .isEqualTo(
            "CSI-108 WAITING_FOR_HOST: finding volumes again: the host has not reported which uses"
                + " it still wants; 1 use was being released when the last run ended; no use"
                + " is released before the host reports. Call reconcile with all wanted uses.");
  }

  /** The kernel, before each look at which something is done. */
  private record Interrupted(KernelMounts kernel, Runnable deed) implements KernelMounts {

    @Override
    public List<Sighting> beneath(MountPath directory) {
      deed.run();
      return kernel.beneath(directory);
    }

    @Override
    public Place place() {
      return kernel.place();
    }

    @Override
    public List<Sighting> at(MountPath path) {
      return kernel.at(path);
    }

    @Override
    public Optional<String> device(MountPath path) {
      return kernel.device(path);
    }

    @Override
    public List<Sighting> elsewhere(MountPath path, MountPath own) {
      return kernel.elsewhere(path, own);
    }

    @Override
    public Optional<String> holders(MountPath path) {
      return kernel.holders(path);
    }

    @Override
    public boolean unmount(MountPath path) {
      return kernel.unmount(path);
    }

    @Override
    public boolean unmountDead(MountPath path, DeadUnmount how) {
      return kernel.unmountDead(path, how);
    }
  }

  @Test
  void whatIsMountedWhileItIsReadIsReadOnceMore() {
    try (VolumeManager manager = manager()) {
      AtomicInteger looks = new AtomicInteger();
      Runnable mounting =
          () -> {
            if (looks.incrementAndGet() == 1) {
              mounted(manager);
            }
          };

      ManagerView view =
          ManagerView.read(root(), new Interrupted(SystemKernelMounts.system(), mounting));

      assertThat(looks).hasValue(2);
      assertThat(view.volumes()).extracting(VolumeStatus::handle).containsExactly(HANDLE);
      assertThat(view.start().findings())
          .extracting(OperatorMessage::code)
          .containsExactly(OperatorCode.ADOPTED);
      assertThat(view.moving()).isEmpty();
    }
  }

  @Test
  void aVolumeThatNeverHoldsStillIsNamed() {
    try (VolumeManager manager = manager()) {
      mounted(manager);
      Runnable moving =
          () -> {
            if (manager.unmount(WEB) == UnmountOutcome.UNKNOWN) {
              mounted(manager);
            }
          };

      ManagerView view =
          ManagerView.read(root(), new Interrupted(SystemKernelMounts.system(), moving));

      assertThat(view.moving()).containsExactly(VOLUME);
    }
  }

  @Test
  void aReleaseThatThePluginRefusesIsOwed() {
    try (VolumeManager manager = manager()) {
      mounted(manager);
      fake.inject(
          Fault.fail(StatusCode.INTERNAL, "no"), When.calling(CsiOperation.NODE_UNPUBLISH_VOLUME));
      var unused = manager.async().unmount(WEB);
      while (fake.journal().calls(CsiOperation.NODE_UNPUBLISH_VOLUME).isEmpty()) {
        LockSupport.parkNanos(100_000);
      }
    }

    ManagerView view = ManagerView.read(root());

    assertThat(view.journal().isHeld()).isFalse();
    assertThat(view.pending())
        .extracting(PendingCall::call, PendingCall::use, PendingCall::certain)
        .containsExactly(tuple(CsiOperation.NODE_UNPUBLISH_VOLUME, Optional.of(WEB), true));
    assertThat(view.start().going()).containsExactly(WEB);
  }

  /** The manager after it has not heard which uses are wanted, so it has not tried again. */
  @Test
  void whatFailsIsKeptOverARestartUntilItIsOver() throws IOException {
    fake.inject(
        Fault.fail(StatusCode.INTERNAL, "busy"), When.calling(CsiOperation.NODE_UNPUBLISH_VOLUME));
    try (VolumeManager manager = manager()) {
      mounted(manager);
      assertThat(catchThrowableOfType(VolumeException.class, () -> manager.unmount(WEB)).outcome())
          .isEqualTo(Outcome.IN_PROGRESS);
    }
    ManagerView.Trouble first = ManagerView.read(root()).troubles().get(0);
    assertThat(first.volume()).isEqualTo(VOLUME);
    assertThat(first.message().code()).isEqualTo(OperatorCode.UNPUBLISH_IN_DOUBT);
    assertThat(first.message().seen().text()).contains("busy");
    assertThat(ManagerView.read(root()).volumes().get(0).trouble()).contains(first.message());
    Path file = root().resolve("trouble");
    String earlier = "2026-01-02T03:04:05Z";
    Files.writeString(file, Files.readString(file).replace(first.since().toString(), earlier));

    try (VolumeManager manager = manager()) {
      assertThat(manager.volumes()).hasSize(1);
    }
    assertThat(ManagerView.read(root()).troubles())
        .extracting(trouble -> trouble.since().toString())
        .containsExactly(earlier);

    fake.clearFaults();
    fake.inject(
        Fault.fail(StatusCode.FAILED_PRECONDITION, "held"),
        When.calling(CsiOperation.NODE_UNPUBLISH_VOLUME));
    try (VolumeManager manager = manager()) {
      assertThat(catchThrowableOfType(VolumeException.class, () -> manager.unmount(WEB)).code())
          .isEqualTo(OperatorCode.RELEASE_REFUSED);
    }
    assertThat(ManagerView.read(root()).troubles())
        .as("another code, and never a success")
        .extracting(trouble -> trouble.message().code(), trouble -> trouble.since().toString())
        .containsExactly(tuple(OperatorCode.RELEASE_REFUSED, earlier));

    fake.clearFaults();
    try (VolumeManager manager = manager()) {
      assertThat(manager.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);
    }
    assertThat(file).doesNotExist();
  }

  @Test
  void aStateWhoseSegmentsAreGoneIsToldByTheDirectoriesOfItsVolumes() throws IOException {
    try (VolumeManager manager = manager()) {
      mounted(manager);
    }
    try (Stream<Path> files = Files.list(root().resolve("state"))) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }

    ManagerView view = ManagerView.read(root());

    assertThat(view.volumes()).isEmpty();
    assertThat(view.journal().state().uncertainties())
        .extracting(Uncertainty::reason)
        .containsExactly(StateException.Reason.STATE_MISSING);
    assertThat(view.start().findings())
        .extracting(OperatorMessage::code)
        .contains(OperatorCode.STATE_MISSING, OperatorCode.STATE_REBUILT);
    assertThat(view.paths()).extracting(ManagerView.VolumePath::volume).contains(VOLUME);
    assertThat(root().resolve("state")).isEmptyDirectory();
  }

  @Test
  void aDirectoryOfSomethingElseIsNoManager() throws IOException {
    assertThat(refused(temp))
        .isEqualTo(
            "it has no directory 'state' and no directory of a volume. Give the directory that the"
                + " manager was opened with.");
    assertThat(refused(temp.resolve("none")))
        .isEqualTo(
            "there is no such directory. Give the directory that the manager was opened with.");
    Files.createDirectory(temp.resolve("state"));
    assertThat(refused(temp))
        .isEqualTo(
            "its directory 'state' has no journal, and it has no directory of a volume. Give the"
                + " directory that the manager was opened with.");
  }

  private static String refused(Path root) {
    VolumeException refusal =
        catchThrowableOfType(VolumeException.class, () -> ManagerView.read(root));
    assertThat(refusal)
        .returns(Outcome.REFUSED, VolumeException::outcome)
        .returns(OperatorCode.ROOT_NOT_USABLE, OperatorException::code)
        .hasCauseInstanceOf(StateException.class);
    OperatorMessage told = refusal.operatorMessage();
    assertThat(told.doing().text()).isEqualTo("reading the volume manager at " + root);
    return told.seen() + ". " + told.next() + ".";
  }
}
