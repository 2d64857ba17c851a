package io.csi4j.volume.controller;

import static io.csi4j.client.model.CsiOperation.CONTROLLER_GET_VOLUME;
import static io.csi4j.client.model.CsiOperation.LIST_VOLUMES;
import static io.csi4j.client.model.CsiOperation.VALIDATE_VOLUME_CAPABILITIES;
import static io.csi4j.volume.controller.ControllerWorld.ID;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeId;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.volume.internal.time.Waits;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.model.VolumeVerdict;
import io.csi4j.volume.state.MemoryMedium;
import io.csi4j.volume.store.local.LocalStore;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whether a volume exists that a node does not find, by each way to ask for it. */
class VolumeVerdictTest {

  private static final VolumeKey DB = VolumeKey.of("db");
  private static final VolumeVerdict PRESENT = new VolumeVerdict.Present();
  private static final PluginShape ONE_BY_ONE = PluginShape.full();
  private static final PluginShape LISTED = ONE_BY_ONE.without(ControllerCapability.GET_VOLUME);
  private static final PluginShape VALIDATED = LISTED.without(ControllerCapability.LIST_VOLUMES);

  private final ControllerWorld world = new ControllerWorld();
  private FakeCsiPlugin plugin;
  private VolumeController controller;
  private VolumeId db;

  private void start(PluginShape shape) {
    plugin = world.registered(shape);
    controller =
        VolumeController.builder(world.registry(), LocalStore.on(MemoryMedium.create().open()))
            .settings(ControllerSettings.builder().policy(policy -> policy.attempts(1)).build())
            .open();
    db = controller.create(DB, spec()).id();
    plugin.journal().clear();
  }

  private static VolumeSpec spec() {
    return VolumeSpec.builder(ID)
        .use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM)
        .build();
  }

  @AfterEach
  void noDutyWasBroken() {
    controller.close();
    plugin.assertLawful();
    world.close();
  }

  private void fail(CsiOperation operation, StatusCode code) {
    plugin.inject(Fault.fail(code, "so it is"), When.calling(operation));
  }

  private OperatorMessage gone() {
    assertThat(controller.verdict(DB)).isInstanceOf(VolumeVerdict.Gone.class);
    OperatorMessage message = ((VolumeVerdict.Gone) controller.verdict(DB)).message();
    assertThat(message.code()).isEqualTo(OperatorCode.VOLUME_GONE);
    return message;
  }

  private String unknown() {
    VolumeVerdict verdict = controller.verdict(DB);
    assertThat(verdict).isInstanceOf(VolumeVerdict.Unknown.class);
    return ((VolumeVerdict.Unknown) verdict).because().text();
  }

  private Set<CsiOperation> asked() {
    Set<CsiOperation> asked = EnumSet.noneOf(CsiOperation.class);
    asked.addAll(plugin.journal().operations());
    return asked;
  }

  // ---- by its id

  @Test
  void aVolumeThatThePluginReturnsIsPresent() {
    start(ONE_BY_ONE);
    assertThat(controller.async().verdict(DB).toCompletableFuture().join()).isEqualTo(PRESENT);
    assertThat(asked()).containsExactly(CONTROLLER_GET_VOLUME);
  }

  @Test
  void aVolumeThatThePluginDoesNotFindIsGone() {
    start(ONE_BY_ONE);
    plugin.forget();
    assertThat(gone().line()).contains("looking for volume 'default/db'", "NOT_FOUND");
    assertThat(asked()).containsExactly(CONTROLLER_GET_VOLUME);
  }

  @ParameterizedTest
  @EnumSource(
      value = StatusCode.class,
      mode = EnumSource.Mode.EXCLUDE,
      names = {"OK", "NOT_FOUND", "UNIMPLEMENTED"})
  void anotherFailureProvesNothing(StatusCode code) {
    start(ONE_BY_ONE);
    plugin.forget();
    fail(CONTROLLER_GET_VOLUME, code);
    assertThat(unknown()).contains(code.name());
    assertThat(asked()).containsExactly(CONTROLLER_GET_VOLUME);
  }

  @Test
  void aPluginThatDoesNotDoWhatItOffersIsAskedForItsCapabilities() {
    start(ONE_BY_ONE);
    fail(CONTROLLER_GET_VOLUME, StatusCode.UNIMPLEMENTED);
    assertThat(controller.verdict(DB)).isEqualTo(PRESENT);
    assertThat(asked()).containsExactly(VALIDATE_VOLUME_CAPABILITIES, CONTROLLER_GET_VOLUME);
  }

  // ---- by a list

  @Test
  void aVolumeThatIsListedIsPresent() {
    start(LISTED);
    assertThat(controller.verdict(DB)).isEqualTo(PRESENT);
    assertThat(asked()).containsExactly(LIST_VOLUMES);
  }

  @Test
  void aVolumeOnALaterPageIsPresent() {
    start(LISTED);
    plugin.inject(
        Fault.answer(
            LIST_VOLUMES,
            "{\"entries\": [{\"volume\": {\"volume_id\": \"other\"}}], \"next_token\": \"2\"}"),
        When.calling(LIST_VOLUMES).where(call -> call.request().text("starting_token").isEmpty()));
    plugin.inject(
        Fault.answer(
            LIST_VOLUMES, "{\"entries\": [{\"volume\": {\"volume_id\": \"" + db + "\"}}]}"),
        When.calling(LIST_VOLUMES));
    assertThat(controller.verdict(DB)).isEqualTo(PRESENT);
    assertThat(plugin.journal().operations()).containsExactly(LIST_VOLUMES, LIST_VOLUMES);
  }

  @Test
  void aVolumeThatAListDoesNotNameMayExist() {
    start(LISTED);
    plugin.inject(Fault.answer(LIST_VOLUMES, "{}"), When.calling(LIST_VOLUMES));
    assertThat(controller.verdict(DB)).isEqualTo(PRESENT);
    assertThat(plugin.journal().operations())
        .containsExactly(LIST_VOLUMES, VALIDATE_VOLUME_CAPABILITIES);
  }

  @Test
  void aListThatBreaksOffProvesNothing() {
    start(LISTED);
    fail(LIST_VOLUMES, StatusCode.UNAVAILABLE);
    assertThat(controller.verdict(DB)).isEqualTo(PRESENT);
    fail(VALIDATE_VOLUME_CAPABILITIES, StatusCode.UNAVAILABLE);
    assertThat(unknown()).contains("UNAVAILABLE");
  }

  @Test
  void aVolumeThatIsNeitherListedNorFoundIsGone() {
    start(LISTED);
    plugin.forget();
    assertThat(gone().seen().text()).contains("NOT_FOUND");
    assertThat(asked()).containsExactlyInAnyOrder(LIST_VOLUMES, VALIDATE_VOLUME_CAPABILITIES);
  }

  // ---- by its capabilities

  @Test
  void aVolumeWhoseCapabilitiesAreAnsweredIsPresent() {
    start(VALIDATED);
    assertThat(controller.verdict(DB)).isEqualTo(PRESENT);
    assertThat(asked()).containsExactly(VALIDATE_VOLUME_CAPABILITIES);
  }

  @Test
  void aVolumeWhoseCapabilitiesAreNotFoundIsGone() {
    start(VALIDATED);
    plugin.forget();
    assertThat(gone().seen().text()).contains("NOT_FOUND");
  }

  @Test
  void aPluginThatSaysNothingOfItsVolumesProvesNothing() {
    start(VALIDATED);
    plugin.forget();
    fail(VALIDATE_VOLUME_CAPABILITIES, StatusCode.UNIMPLEMENTED);
    assertThat(unknown()).isEqualTo("the storage system does not say whether it exists");
  }

  // ---- on record

  @Test
  void aVolumeThatIsNotOnRecordIsGoneAndNoPluginIsAsked() {
    start(ONE_BY_ONE);
    assertThat(controller.deregister(DB)).isTrue();
    plugin.journal().clear();
    assertThat(gone().seen().text()).isEqualTo("no volume with that name is recorded any more");
    assertThat(asked()).isEmpty();
  }

  @Test
  void aVolumeThatIsBeingDeletedMayExist() {
    start(ONE_BY_ONE);
    fail(CsiOperation.DELETE_VOLUME, StatusCode.UNAVAILABLE);
    ControllerException failed =
        catchThrowableOfType(ControllerException.class, () -> controller.delete(DB));
    assertThat(failed.outcome()).isEqualTo(ChangeOutcome.UNCERTAIN);
    assertThat(unknown()).isEqualTo("it is being created or deleted");
  }

  @Test
  void aPluginWithoutAControllerProvesNothing() {
    plugin = world.registered(PluginShape.nodeOnly());
    controller =
        VolumeController.builder(world.registry(), LocalStore.on(MemoryMedium.create().open()))
            .open();
    controller.register(CatalogVolume.builder(DB, spec(), VolumeId.of("db")).build());
    assertThat(unknown()).contains("not registered");
    assertThat(asked()).isEmpty();
  }

  @Test
  void aPluginThatIsDownProvesNothing() {
    start(ONE_BY_ONE);
    plugin.stop();
    assertThat(controller.verdict(DB)).isInstanceOf(VolumeVerdict.Unknown.class);
    plugin.start();
    // Each connection that has ended becomes known with the first call on it.
    Waits.until(() -> controller.verdict(DB).equals(PRESENT));
  }
}
