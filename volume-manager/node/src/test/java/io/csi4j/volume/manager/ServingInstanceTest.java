package io.csi4j.volume.manager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.VolumeId;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.mount.real.Eventually;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeException.Outcome;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.ManagerSettings;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.MountedVolume;
import io.csi4j.volume.node.UnmountOutcome;
import io.csi4j.volume.plugin.InstanceId;
import io.csi4j.volume.plugin.PluginDrain;
import io.csi4j.volume.plugin.PluginException;
import io.csi4j.volume.plugin.PluginHandle;
import io.csi4j.volume.plugin.PluginHealth;
import io.csi4j.volume.plugin.PluginHealth.Reason;
import io.csi4j.volume.plugin.PluginHealth.State;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.PluginRole;
import io.csi4j.volume.plugin.RegisteredPlugin;
import io.csi4j.volume.state.MemoryMedium;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which instance of a plugin gets the calls for volumes, and which calls. */
class ServingInstanceTest {

  private static final PluginId PLUGIN = PluginId.of("fake.csi4j.example");
  private static final VolumeId HANDLE = VolumeId.of("vol-1");
  private static final VolumeUse WEB = VolumeUse.of(VolumeKey.of("data"), WorkloadId.of("web"));
  private static final VolumeUse JOB = VolumeUse.of(VolumeKey.of("data"), WorkloadId.of("job"));
  private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");

  @TempDir private Path temp;
  private final MemoryMedium medium = MemoryMedium.create();
  private final List<FakeCsiPlugin> open = new ArrayList<>();
  private FakeCsiPlugin fake;
  private VolumeManager manager;

  @BeforeEach
  void begin() {
    fake = fake(PluginShape.nodeOnly());
    manager = manager();
  }

  @AfterEach
  void end() {
    manager.close();
    open.forEach(FakeCsiPlugin::close);
  }

  private FakeCsiPlugin fake(PluginShape shape) {
    FakeCsiPlugin made = FakeCsiPlugin.open(shape);
    made.addVolume(HANDLE);
    open.add(made);
    return made;
  }

  private VolumeManager manager() {
    return VolumeManager.builder(temp.resolve("root"))
        .state(medium.open())
        .settings(ManagerSettings.builder().closing(Duration.ofMillis(200)).build())
        .open();
  }

  private static PluginBinding binding(FakeCsiPlugin plugin) {
    return PluginBinding.builder(PLUGIN, plugin.nodeEndpoint())
        .policy(
            MountPolicy.builder()
                .requireMount(false)
                .backoff(Duration.ofMillis(1))
                .backoffCap(Duration.ofMillis(10))
                .build())
        .build();
  }

  private PluginHandle register(FakeCsiPlugin plugin, String instance) {
    return manager
        .plugins()
        .register(
            new PluginRegistration(
                binding(plugin), InstanceId.of(instance), Set.of(PluginRole.NODE)));
  }

  private static MountRequest request(VolumeUse usage) {
    return MountRequest.builder(PLUGIN, usage, HANDLE, AccessMode.MULTI_NODE_MULTI_WRITER).build();
  }

  private VolumeException refused(VolumeUse usage) {
    return catchThrowableOfType(VolumeException.class, () -> manager.mount(request(usage)));
  }

  private static PluginHealth health(State state, Reason reason, String text) {
    return new PluginHealth(state, reason, new PluginHealth.Text(text), NOON);
  }

  private static final PluginHealth READY = health(State.READY, Reason.ANSWERED, "it is ready");

  @Test
  @Tag("C8")
  void anUnhealthyPluginGetsNoNewVolumesAtOnceAndReleasesWaitForIt() {
    PluginHandle handle = register(fake, "one");
    handle.report(READY);
    manager.mount(request(WEB));
    fake.inject(Fault.hang(), When.calling(CsiOperation.PROBE));
    fake.inject(Fault.hang(), When.calling(CsiOperation.NODE_GET_CAPABILITIES));

    handle.report(health(State.UNHEALTHY, Reason.SILENT, "it did not answer three times in a row"));

    VolumeException failure = refused(JOB);
    assertThat(failure.code())
        .as("C8: a mount is refused at once")
        .isEqualTo(OperatorCode.PLUGIN_UNHEALTHY);
    assertThat(failure.outcome()).isEqualTo(Outcome.REFUSED);
    assertThat(failure.operatorMessage().seen())
        .hasToString(
            "it is unhealthy since 2026-01-01T12:00:00Z: it did not answer three times in a row");
    VolumeException waiting =
        catchThrowableOfType(VolumeException.class, () -> manager.unmount(WEB));
    assertThat(waiting.code()).isEqualTo(OperatorCode.PLUGIN_UNHEALTHY);
    assertThat(waiting.outcome()).as("C8: a release waits").isEqualTo(Outcome.IN_PROGRESS);
    assertThat(fake.journal().calls(CsiOperation.NODE_UNPUBLISH_VOLUME)).isEmpty();
    fake.clearFaults();
    handle.report(READY);
    Eventually.isTrue("the release has gone on", () -> manager.volumes().isEmpty());
    assertThat(manager.mount(request(JOB)).usage()).isEqualTo(JOB);
    assertThat(manager.unmount(JOB)).isEqualTo(UnmountOutcome.LAST);
    fake.assertLawful();
  }

  @Test
  void whatNobodyLooksAfterIsTried() {
    assertThat(manager.register(binding(fake))).isEmpty();

    RegisteredPlugin known = manager.plugins().get(PLUGIN, PluginRole.NODE);
    assertThat(known.registration().instance()).isEqualTo(InstanceId.ONLY);
    assertThat(known.health().reason()).isEqualTo(Reason.NOT_ASKED);
    assertThat(manager.mount(request(WEB)).usage()).isEqualTo(WEB);
    assertThat(manager.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);
    assertThat(manager.deregister(PLUGIN)).isTrue();
    assertThat(manager.deregister(PLUGIN)).isFalse();
    assertThat(manager.plugins().plugins()).isEmpty();
    assertThat(refused(WEB).code()).isEqualTo(OperatorCode.PLUGIN_NOT_REGISTERED);
  }

  @Test
  void aPluginThatIsRegisteredForItsControllerAloneMountsNothingAndTheMissingRoleIsNamed() {
    manager
        .plugins()
        .register(
            new PluginRegistration(
                binding(fake), InstanceId.ONLY, EnumSet.of(PluginRole.CONTROLLER)));

    assertThat(refused(WEB))
        .hasMessage(
            "CSI-301 PLUGIN_NOT_REGISTERED: mounting volume 'vol-1' (default/data for workload"
                + " 'web') of plugin 'fake.csi4j.example': no plugin is registered with the role"
                + " NODE; existing mounts stay; nothing was done. Register it for the named role.");
    assertThatExceptionOfType(PluginException.class)
        .isThrownBy(() -> manager.plugins().get(PLUGIN, PluginRole.NODE))
        .withMessage(
            "CSI-301 PLUGIN_NOT_REGISTERED: looking for the node plugin 'fake.csi4j.example': it is"
                + " registered with the role CONTROLLER, and not registered with the role NODE;"
                + " registered are: 'fake.csi4j.example' (instance 'only', controller, starting);"
                + " existing mounts stay; nothing was done. Register it for the named role.");
  }

  @Test
  void theBindingOfTheOnlyInstanceIsReplacedWhereverItIsNow() {
    FakeCsiPlugin other = fake(PluginShape.nodeOnly());
    assertThat(manager.register(binding(fake))).isEmpty();
    assertThat(manager.register(binding(other))).isEmpty();

    assertThat(manager.mount(request(WEB)).usage()).isEqualTo(WEB);

    assertThat(manager.plugins().plugins()).hasSize(1);
    assertThat(other.journal().calls(HANDLE)).isNotEmpty();
    assertThat(fake.journal().calls()).isEmpty();
    assertThat(manager.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);
  }

  @Test
  void afterARestartReleasesGoToWhereThePluginWasAndMountsWaitForItsRegistration() {
    register(fake, "one").report(READY);
    manager.mount(request(WEB));
    manager.close();

    manager = manager();

    assertThat(manager.plugins().get(PLUGIN, PluginRole.NODE).remembered()).isTrue();
    VolumeException failure = refused(JOB);
    assertThat(failure.code()).isEqualTo(OperatorCode.PLUGIN_NOT_REGISTERED);
    assertThat(failure.operatorMessage().seen())
        .hasToString(
            "it is known from an earlier run, but was not registered with the role NODE since this"
                + " start");
    assertThat(manager.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);
    register(fake, "one").report(READY);
    assertThat(manager.mount(request(JOB)).usage()).isEqualTo(JOB);
    assertThat(manager.unmount(JOB)).isEqualTo(UnmountOutcome.LAST);
  }

  @Test
  void callsThatWereSentEndWhereTheyWereSentAndTheNextGoToTheNewInstance() throws Exception {
    FakeCsiPlugin young = fake(PluginShape.nodeOnly().without(NodeCapability.STAGE_UNSTAGE_VOLUME));
    PluginHandle old = register(fake, "old");
    old.report(READY);
    fake.inject(Fault.hang(), When.calling(CsiOperation.NODE_STAGE_VOLUME).once());
    CompletableFuture<MountedVolume> mounting =
        manager.async().mount(request(WEB)).toCompletableFuture();
    Eventually.isTrue(
        "the old one hangs", () -> !fake.journal().calls(CsiOperation.NODE_STAGE_VOLUME).isEmpty());

    register(young, "young").report(READY);
    old.close();
    assertThat(mounting).isNotDone();
    fake.release();

    assertThat(mounting.get(60, TimeUnit.SECONDS).usage()).isEqualTo(WEB);
    assertThat(fake.journal().calls(CsiOperation.NODE_PUBLISH_VOLUME)).isEmpty();
    assertThat(young.journal().calls(CsiOperation.NODE_PUBLISH_VOLUME)).hasSize(1);
    VolumeException owed = catchThrowableOfType(VolumeException.class, () -> manager.unmount(WEB));
    assertThat(owed.code()).as("what the old one staged").isEqualTo(OperatorCode.CAPABILITY_LOST);
    assertThat(owed.outcome()).isEqualTo(VolumeException.Outcome.IN_PROGRESS);
  }

  @Test
  void theNewestThatIsReadyGetsTheCalls() {
    FakeCsiPlugin young = fake(PluginShape.nodeOnly());
    PluginHandle old = register(fake, "old");
    old.report(READY);
    PluginHandle next = register(young, "young");

    manager.mount(request(WEB));
    assertThat(young.journal().calls()).isEmpty();
    assertThat(manager.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);
    next.report(READY);
    manager.mount(request(WEB));
    assertThat(young.journal().calls(CsiOperation.NODE_PUBLISH_VOLUME)).hasSize(1);
    assertThat(fake.journal().calls(CsiOperation.NODE_PUBLISH_VOLUME)).hasSize(1);
    assertThat(manager.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);
  }

  @Test
  void aPluginIsDrainedThroughTheFrontDoor() throws Exception {
    register(fake, "one").report(READY);
    manager.mount(request(WEB));
    try (PluginDrain drain = manager.drain(PLUGIN, Duration.ofHours(1))) {
      assertThat(refused(JOB).code()).isEqualTo(OperatorCode.PLUGIN_DRAINING);
      CompletableFuture<String> told =
          drain.outcome().thenApply(end -> Thread.currentThread().getName()).toCompletableFuture();
      assertThat(manager.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);

      assertThat(told.get(60, TimeUnit.SECONDS)).startsWith("csi4j-volume-callbacks-");
      assertThat(drain.outcome().toCompletableFuture().get())
          .isEqualTo(new PluginDrain.Outcome.Free());
    }
    assertThat(manager.mount(request(JOB)).usage()).isEqualTo(JOB);
    assertThat(manager.unmount(JOB)).isEqualTo(UnmountOutcome.LAST);
  }

  @Test
  void aClosedManagerRegistersNothing() {
    manager.close();

    assertThatExceptionOfType(PluginException.class)
        .isThrownBy(() -> register(fake, "one"))
        .withMessageContaining("CSI-904 ENGINE_CLOSED");
  }
}
