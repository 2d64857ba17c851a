package io.csi4j.volume.controller;

import static io.csi4j.client.model.CsiOperation.CONTROLLER_GET_VOLUME;
import static io.csi4j.client.model.CsiOperation.CONTROLLER_GET_VOLUME_HEALTH;
import static io.csi4j.client.model.CsiOperation.CONTROLLER_LIST_VOLUME_HEALTH;
import static io.csi4j.client.model.CsiOperation.LIST_VOLUMES;
import static io.csi4j.volume.controller.ControllerWorld.ID;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.HealthReason;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeCondition;
import io.csi4j.client.model.VolumeHealthEntry;
import io.csi4j.client.model.VolumeHealthReport;
import io.csi4j.client.model.VolumeId;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.volume.controller.VolumeController.PageRequest;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.SecretsReference;
import io.csi4j.volume.model.VolumeHealth;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.state.MemoryMedium;
import io.csi4j.volume.store.local.LocalStore;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How volumes are, read on request from plugins that tell it in different ways. */
class VolumeHealthReadingTest {

  private static final VolumeKey DB = VolumeKey.of("db");
  private static final VolumeCondition SICK = new VolumeCondition(true, "slow");
  private static final VolumeHealthEntry ENTRY =
      VolumeHealthEntry.of(
          VolumeHealthEntry.Status.DEGRADED, HealthReason.of(VolumeHealth.CONDITION), "slow");

  private final ControllerWorld world = new ControllerWorld();
  private FakeCsiPlugin plugin;
  private VolumeController controller;
  private CatalogVolume db;

  private void start(PluginShape shape) {
    plugin = world.registered(shape);
    controller =
        VolumeController.builder(world.registry(), LocalStore.on(MemoryMedium.create().open()))
            .secrets(name -> operation -> Secrets.of(Map.of("key-of-" + name, "s3cr3t")))
            .settings(ControllerSettings.builder().policy(policy -> policy.attempts(1)).build())
            .open();
    db =
        controller.create(
            DB,
            VolumeSpec.builder(ID)
                .use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM)
                .secrets(SecretsReference.of("prod"))
                .build());
    plugin.journal().clear();
  }

  @AfterEach
  void noDutyWasBroken() {
    controller.close();
    plugin.assertLawful();
    world.close();
  }

  private Optional<List<VolumeHealthEntry>> health() {
    return controller.health(DB).map(VolumeHealthReport::entries);
  }

  private static ControllerException failure(Runnable work) {
    return catchThrowableOfType(ControllerException.class, work::run);
  }

  @Test
  void aPluginThatOffersOnlyTheListIsAskedForOneVolumeToo() {
    start(PluginShape.full113().without(ControllerCapability.GET_VOLUME_HEALTH));
    assertThat(health()).contains(List.of());
  }

  @Test
  void aPluginOf113IsAskedForTheHealthItself() {
    start(PluginShape.full112And113());
    assertThat(health()).contains(List.of());
    plugin.condition(db.id(), SICK);
    assertThat(health()).contains(List.of(ENTRY));
    assertThat(plugin.journal().operations()).containsOnly(CONTROLLER_GET_VOLUME_HEALTH);
    assertThat(plugin.journal().last(CONTROLLER_GET_VOLUME_HEALTH).orElseThrow().request())
        .satisfies(asked -> assertThat(asked.map("secrets")).containsOnlyKeys("key-of-prod"));
  }

  @Test
  void aPluginOf112IsAskedForTheVolume() {
    start(PluginShape.full());
    assertThat(health()).contains(List.of());
    plugin.condition(db.id(), SICK);
    assertThat(controller.async().health(DB).toCompletableFuture().join())
        .contains(new VolumeHealthReport(db.id(), List.of(ENTRY)));
    assertThat(plugin.journal().operations()).containsOnly(CONTROLLER_GET_VOLUME);
  }

  @Test
  void aPluginThatCannotSayIsNotAsked() {
    start(PluginShape.full().without(ControllerCapability.VOLUME_CONDITION));
    assertThat(health()).isEmpty();
    assertThat(plugin.journal().operations()).isEmpty();

    ControllerException refused = failure(() -> controller.listHealth(ID).forEach(each -> {}));
    assertThat(refused.outcome()).isEqualTo(ChangeOutcome.REFUSED);
    assertThat(refused.code()).isEqualTo(OperatorCode.CONTROLLER_CALL_NOT_OFFERED);
    assertThat(plugin.journal().operations()).isEmpty();
  }

  @Test
  void aVolumeThatIsNotOnRecordIsUnknown() {
    start(PluginShape.full113());
    ControllerException unknown = failure(() -> controller.health(VolumeKey.of("none")));
    assertThat(unknown.outcome()).isEqualTo(ChangeOutcome.REFUSED);
    assertThat(unknown.code()).isEqualTo(OperatorCode.VOLUME_UNKNOWN);
  }

  @Test
  void aVolumeThatIsGoneIsAFailureAndNoHealth() {
    start(PluginShape.full113());
    plugin.forget();
    ControllerException gone = failure(() -> controller.health(DB));
    assertThat(gone.outcome()).isEqualTo(ChangeOutcome.REFUSED);
    assertThat(gone.code()).isEqualTo(OperatorCode.CONTROLLER_CALL_REFUSED);
    assertThat(gone.status()).contains(StatusCode.NOT_FOUND);
  }

  @Test
  void aListHasTheSickVolumesInTheWordsOf113() {
    start(PluginShape.full113());
    plugin.condition(db.id(), SICK);
    assertThat(controller.listHealth(ID))
        .containsExactly(new VolumeHealthReport(db.id(), List.of(ENTRY)));
    assertThat(plugin.journal().operations()).containsOnly(CONTROLLER_LIST_VOLUME_HEALTH);
    assertThat(plugin.journal().last(CONTROLLER_LIST_VOLUME_HEALTH).orElseThrow().request())
        .satisfies(asked -> assertThat(asked.map("secrets")).containsOnlyKeys("key-of-prod"));
  }

  @Test
  void aListOf112HasAllVolumesOfWhichThePluginSaysHowTheyAre() {
    start(PluginShape.full());
    plugin.addVolume(VolumeId.of("foreign"));
    plugin.condition(db.id(), SICK);
    assertThat(controller.listHealth(ID))
        .containsExactlyInAnyOrder(
            new VolumeHealthReport(db.id(), List.of(ENTRY)),
            new VolumeHealthReport(VolumeId.of("foreign"), List.of()));
    assertThat(plugin.journal().operations()).containsOnly(LIST_VOLUMES);
  }

  @Test
  void listsAreAsPersistentAsTheSettingsSay() {
    start(PluginShape.full113());
    plugin.inject(
        Fault.fail(StatusCode.UNAVAILABLE, "starting"),
        When.calling(CONTROLLER_LIST_VOLUME_HEALTH, LIST_VOLUMES));
    assertThat(failure(() -> controller.listHealth(ID).forEach(each -> {})).status())
        .contains(StatusCode.UNAVAILABLE);
    assertThat(failure(() -> controller.list(ID).forEach(each -> {})).status())
        .contains(StatusCode.UNAVAILABLE);
    assertThat(failure(() -> controller.list(ID, PageRequest.first())).status())
        .contains(StatusCode.UNAVAILABLE);
    assertThat(plugin.journal().calls(CONTROLLER_LIST_VOLUME_HEALTH)).hasSize(1);
    assertThat(plugin.journal().calls(LIST_VOLUMES)).hasSize(2);
  }
}
