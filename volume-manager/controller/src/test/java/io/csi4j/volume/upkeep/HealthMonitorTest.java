package io.csi4j.volume.upkeep;

import static io.csi4j.client.model.CsiOperation.CONTROLLER_GET_VOLUME;
import static io.csi4j.client.model.CsiOperation.CONTROLLER_GET_VOLUME_HEALTH;
import static io.csi4j.client.model.CsiOperation.CONTROLLER_LIST_VOLUME_HEALTH;
import static io.csi4j.client.model.CsiOperation.LIST_VOLUMES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.controller.ValidationResult;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.HealthReason;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeCondition;
import io.csi4j.client.model.VolumeHealthEntry;
import io.csi4j.client.model.VolumeHealthEntry.Status;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.effects.NodeEffects;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.volume.catalog.BrokenStore;
import io.csi4j.volume.controller.ControllerSettings;
import io.csi4j.volume.controller.ControllerWorld;
import io.csi4j.volume.controller.VolumeController;
import io.csi4j.volume.internal.time.VirtualTime;
import io.csi4j.volume.internal.time.Waits;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.SecretsReference;
import io.csi4j.volume.model.VolumeHealth;
import io.csi4j.volume.model.VolumeHealth.Source;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.plugin.InstanceId;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.PluginRole;
import io.csi4j.volume.state.MemoryMedium;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.local.LocalStore;
import io.csi4j.volume.store.local.MemoryStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The health of volumes on real sockets: one begin and one end of each fault, whoever tells it. */
@Isolated("Counts threads.")
class HealthMonitorTest {

  private static final PluginId P = PluginId.of("fake");
  private static final PluginId OTHER = PluginId.of("other");
  private static final VolumeKey DB = VolumeKey.of("db");
  private static final VolumeKey WEB = VolumeKey.of("web");
  private static final VolumeCondition SICK = new VolumeCondition(true, "one disk of two is gone");
  private static final VolumeCondition WELL = new VolumeCondition(false, "");
  private static final VolumeHealthEntry ENTRY =
      VolumeHealthEntry.of(
          Status.DEGRADED, HealthReason.of(VolumeHealth.CONDITION), "one disk of two is gone");

  private static final PluginShape LIST_112 = PluginShape.full();
  private static final PluginShape GET_112 =
      PluginShape.full()
          .without(
              ControllerCapability.LIST_VOLUMES, ControllerCapability.LIST_VOLUMES_PUBLISHED_NODES);
  private static final PluginShape LIST_113 = PluginShape.full113();
  private static final PluginShape GET_113 =
      PluginShape.full113().without(ControllerCapability.LIST_VOLUME_HEALTH);
  private static final PluginShape BOTH = PluginShape.full112And113();

  private static final Set<CsiOperation> READING =
      EnumSet.of(
          LIST_VOLUMES,
          CONTROLLER_GET_VOLUME,
          CONTROLLER_LIST_VOLUME_HEALTH,
          CONTROLLER_GET_VOLUME_HEALTH);

  private final ControllerWorld world = new ControllerWorld();
  private final List<FakeCsiPlugin> plugins = new ArrayList<>();
  private final Queue<String> changes = new ConcurrentLinkedQueue<>();
  private final Queue<OperatorMessage> told = new ConcurrentLinkedQueue<>();
  private final Set<String> missingSecrets = ConcurrentHashMap.newKeySet();
  private final VolumeController controller =
      VolumeController.builder(world.registry(), LocalStore.on(MemoryMedium.create().open()))
          .secrets(name -> operation -> secrets(name.toString()))
          .validation(ValidationResult.Policy.LENIENT)
          .settings(ControllerSettings.builder().policy(policy -> policy.attempts(1)).build())
          .open();

  private Secrets secrets(String name) {
    if (missingSecrets.contains(name)) {
      throw new IllegalStateException("there is no secret '" + name + "'");
    }
    return Secrets.of(Map.of("key-of-" + name, "s3cr3t"));
  }

  @AfterEach
  void noDutyWasBroken() {
    plugins.forEach(FakeCsiPlugin::release);
    controller.close();
    plugins.forEach(FakeCsiPlugin::assertLawful);
    plugins.forEach(FakeCsiPlugin::close);
    world.close();
  }

  private FakeCsiPlugin plugin(PluginId id, PluginShape shape) {
    FakeCsiPlugin plugin = FakeCsiPlugin.builder().shape(shape).effects(NodeEffects.none()).open();
    plugins.add(plugin);
    var unused =
        world
            .registry()
            .register(
                new PluginRegistration(
                    PluginBinding.builder(id, plugin.endpoint()).build(),
                    InstanceId.of("only"),
                    EnumSet.of(PluginRole.CONTROLLER)));
    return plugin;
  }

  private static VolumeSpec.Builder spec(PluginId plugin) {
    return VolumeSpec.builder(plugin).use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM);
  }

  private CatalogVolume volume(PluginId plugin, VolumeKey key) {
    return controller.create(key, spec(plugin).build());
  }

  private HealthMonitor.Builder monitor() {
    return HealthMonitor.builder(controller)
        .listener(change -> changes.add(words(change)))
        .told(told::add);
  }

  private HealthMonitor byHand() {
    return monitor().timer(false).open();
  }

  private static String words(HealthMonitor.Change change) {
    return change.volume() + " " + change.message().code() + " " + change.finding().entry().fault();
  }

  private static List<String> words(List<HealthMonitor.Change> news) {
    return news.stream().map(HealthMonitorTest::words).toList();
  }

  private static Set<CsiOperation> asked(FakeCsiPlugin plugin) {
    Set<CsiOperation> asked = new HashSet<>(plugin.journal().operations());
    asked.retainAll(READING);
    return asked;
  }

  private static final String BEGUN = "default/db VOLUME_ABNORMAL DEGRADED (VolumeCondition)";
  private static final String OVER = "default/db VOLUME_WELL_AGAIN DEGRADED (VolumeCondition)";

  private static void assertPicture(HealthMonitor monitor) {
    assertThat(monitor.health(DB).findings())
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.entry()).isEqualTo(ENTRY);
              assertThat(finding.source()).isEqualTo(Source.controller());
              assertThat(finding.asOf()).isAfterOrEqualTo(finding.since());
            });
    assertThat(monitor.health(WEB)).isEqualTo(VolumeHealth.well());
    assertThat(monitor.unwell()).containsOnlyKeys(DB);
  }

  // ---- the same picture of every kind of plugin

  static Stream<Arguments> kinds() {
    return Stream.of(
        Arguments.of("1.12 with a list", LIST_112, LIST_VOLUMES, 2),
        Arguments.of("1.12 volume by volume", GET_112, CONTROLLER_GET_VOLUME, 1),
        Arguments.of("1.13 with a list", LIST_113, CONTROLLER_LIST_VOLUME_HEALTH, 2),
        Arguments.of("1.13 volume by volume", GET_113, CONTROLLER_GET_VOLUME_HEALTH, 1),
        Arguments.of("1.12 and 1.13", BOTH, CONTROLLER_LIST_VOLUME_HEALTH, 2));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("kinds")
  void aSickVolumeGivesOnePictureAndOneBeginAndOneEnd(
      String name, PluginShape shape, CsiOperation call, int roundsToRecover) {
    FakeCsiPlugin plugin = plugin(P, shape);
    CatalogVolume db = volume(P, DB);
    volume(P, WEB);
    HealthMonitor monitor = byHand();
    try (monitor) {
      assertThat(monitor.look()).isEmpty();
      assertThat(monitor.unwell()).isEmpty();

      plugin.condition(db.id(), SICK);
      List<HealthMonitor.Change> begun = monitor.look();
      assertThat(words(begun)).containsExactly(BEGUN);
      assertThat(begun.get(0).identity().handle()).isEqualTo(db.id());
      assertThat(begun.get(0).identity().plugin()).isEqualTo(P);
      assertThat(begun.get(0).isOver()).isFalse();
      assertThat(begun.get(0).message().line())
          .contains("watching volume '" + db.id() + "' (default/db) of plugin 'fake'")
          .contains("DEGRADED (VolumeCondition), the plugin's controller says since ")
          .contains("'one disk of two is gone'");
      assertPicture(monitor);
      assertThat(monitor.look()).isEmpty();
      assertPicture(monitor);

      plugin.condition(db.id(), WELL);
      for (int round = 1; round < roundsToRecover; round++) {
        assertThat(monitor.look()).isEmpty();
        assertPicture(monitor);
      }
      assertThat(words(monitor.look())).containsExactly(OVER);
      assertThat(monitor.health(DB).isWell()).isTrue();
      assertThat(monitor.unwell()).isEmpty();
      assertThat(monitor.look()).isEmpty();
    }
    assertThat(changes).containsExactly(BEGUN, OVER);
    assertThat(told).isEmpty();
    assertThat(asked(plugin)).containsExactly(call);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("kinds")
  void aVolumeWithTwoNamesIsSickUnderBoth(
      String name, PluginShape shape, CsiOperation call, int roundsToRecover) {
    FakeCsiPlugin plugin = plugin(P, shape);
    CatalogVolume db = volume(P, DB);
    CatalogVolume alias =
        controller.register(
            CatalogVolume.builder(WEB, db.spec(), db.id()).context(db.context()).build());
    plugin.condition(alias.id(), SICK);
    try (HealthMonitor monitor = byHand()) {
      assertThat(monitor.look()).hasSize(2);

      assertThat(monitor.unwell()).containsOnlyKeys(DB, WEB);
      assertThat(monitor.look()).isEmpty();
      plugin.condition(alias.id(), WELL);
      for (int round = 0; round < roundsToRecover; round++) {
        assertThat(monitor.look()).hasSize(round + 1 < roundsToRecover ? 0 : 2);
      }
      assertThat(monitor.unwell()).isEmpty();
    }
    assertThat(asked(plugin)).containsExactly(call);
  }

  @Test
  void aPluginThatIsUpgradedOnTheWayTellsOneBeginAndOneEnd() {
    FakeCsiPlugin plugin = plugin(P, LIST_112);
    CatalogVolume db = volume(P, DB);
    volume(P, WEB);
    plugin.condition(db.id(), SICK);
    try (HealthMonitor monitor = byHand()) {
      assertThat(words(monitor.look())).containsExactly(BEGUN);
      for (PluginShape next : List.of(BOTH, LIST_113, GET_113, LIST_113)) {
        plugin.upgrade(next);
        for (int round = 0; round < 3; round++) {
          assertThat(monitor.look()).isEmpty();
          assertPicture(monitor);
        }
      }
      plugin.condition(db.id(), WELL);
      assertThat(monitor.look()).isEmpty();
      assertThat(words(monitor.look())).containsExactly(OVER);
    }
    assertThat(changes).containsExactly(BEGUN, OVER);
  }

  @Test
  void aPluginThatIsUpgradedWhileItIsAskedTellsOneBeginAndOneEnd() {
    FakeCsiPlugin plugin = plugin(P, LIST_112);
    CatalogVolume db = volume(P, DB);
    volume(P, WEB);
    plugin.condition(db.id(), SICK);
    try (HealthMonitor monitor = byHand()) {
      assertThat(words(monitor.look())).containsExactly(BEGUN);
      AtomicBoolean isEnough = new AtomicBoolean();
      CompletableFuture<Integer> rounds =
          CompletableFuture.supplyAsync(
              () -> {
                int count = 0;
                while (!isEnough.get()) {
                  assertThat(monitor.look()).isEmpty();
                  count++;
                }
                return count;
              });
      for (int i = 0; i < 5; i++) {
        for (PluginShape next : List.of(BOTH, LIST_113, GET_113, GET_112, LIST_112)) {
          int before = plugin.journal().calls().size();
          plugin.upgrade(next);
          Waits.until(() -> plugin.journal().calls().size() > before + 10);
        }
      }
      isEnough.set(true);
      assertThat(Waits.on(rounds)).isGreaterThan(10);
      assertPicture(monitor);
      plugin.condition(db.id(), WELL);
      assertThat(words(Stream.of(1, 2, 3).flatMap(i -> monitor.look().stream()).toList()))
          .containsExactly(OVER);
    }
    assertThat(changes).containsExactly(BEGUN, OVER);
  }

  // ---- what is believed

  @Test
  void aFaultThatOneListLeavesOutHasNotEnded() {
    FakeCsiPlugin plugin = plugin(P, LIST_113);
    CatalogVolume db = volume(P, DB);
    try (HealthMonitor monitor = byHand()) {
      for (int i = 0; i < 3; i++) {
        plugin.condition(db.id(), SICK);
        assertThat(words(monitor.look())).isEqualTo(i == 0 ? List.of(BEGUN) : List.of());
        plugin.condition(db.id(), WELL);
        assertThat(monitor.look()).isEmpty();
        assertThat(monitor.health(DB).isWell()).isFalse();
      }
    }
    assertThat(changes).containsExactly(BEGUN);
  }

  @Test
  void severalFaultsAreToldOneByOneAndAnUnknownStatusIsShownByItsNumber() {
    FakeCsiPlugin plugin = plugin(P, GET_113);
    CatalogVolume db = volume(P, DB);
    VolumeHealthEntry odd = VolumeHealthEntry.of(9, HealthReason.of("Odd"), "never seen");
    VolumeHealthEntry lost =
        VolumeHealthEntry.of(Status.DATA_LOSS, HealthReason.of("DiskGone"), "block 7");
    try (HealthMonitor monitor = byHand()) {
      plugin.health(db.id(), odd, lost);
      assertThat(words(monitor.look()))
          .containsExactly(
              "default/db VOLUME_ABNORMAL status 9 (Odd)",
              "default/db VOLUME_ABNORMAL DATA_LOSS (DiskGone)");
      assertThat(monitor.health(DB).findings().stream().map(VolumeHealth.Finding::entry))
          .containsExactly(lost, odd);

      plugin.health(db.id(), odd);
      assertThat(words(monitor.look()))
          .containsExactly("default/db VOLUME_WELL_AGAIN DATA_LOSS (DiskGone)");
      assertThat(monitor.health(DB).worst().orElseThrow().entry()).isEqualTo(odd);
    }
  }

  @Test
  void otherWordsForTheSameFaultAreNoNewsAndAreShown() {
    FakeCsiPlugin plugin = plugin(P, LIST_113);
    CatalogVolume db = volume(P, DB);
    try (HealthMonitor monitor = byHand()) {
      plugin.condition(db.id(), SICK);
      assertThat(monitor.look()).hasSize(1);
      plugin.condition(db.id(), new VolumeCondition(true, "copied to 98 %"));
      assertThat(monitor.look()).isEmpty();
      assertThat(monitor.health(DB).worst().orElseThrow().entry().message())
          .isEqualTo("copied to 98 %");
    }
  }

  @Test
  void whatIsWrongWithAVolumeEndsWhenItGoesOffTheRecord() {
    FakeCsiPlugin plugin = plugin(P, LIST_113);
    CatalogVolume db = volume(P, DB);
    plugin.condition(db.id(), SICK);
    try (HealthMonitor monitor = byHand()) {
      assertThat(monitor.look()).hasSize(1);
      controller.delete(DB);
      assertThat(monitor.health(DB)).isEqualTo(VolumeHealth.well());
      assertThat(words(monitor.look())).containsExactly(OVER);
      assertThat(monitor.look()).isEmpty();
    }
  }

  @Test
  void volumesOfTheStorageSystemThatAreNotOnRecordAreNotTold() {
    FakeCsiPlugin plugin = plugin(P, LIST_113);
    volume(P, WEB);
    CatalogVolume db = volume(P, DB);
    assertThat(controller.deregister(DB)).isTrue();
    plugin.condition(db.id(), SICK);
    try (HealthMonitor monitor = byHand()) {
      assertThat(monitor.look()).isEmpty();
      assertThat(monitor.unwell()).isEmpty();
    }
  }

  // ---- what is asked

  @Test
  void aPluginThatTellsNoHealthGetsNoCall() {
    FakeCsiPlugin plugin = plugin(P, LIST_112.without(ControllerCapability.VOLUME_CONDITION));
    volume(P, DB);
    try (HealthMonitor monitor = byHand()) {
      assertThat(monitor.look()).isEmpty();
      assertThat(monitor.look()).isEmpty();
    }
    assertThat(asked(plugin)).isEmpty();
    assertThat(told).isEmpty();
  }

  @Test
  void aPluginThatStopsTellingHealthEndsWhatItTold() {
    FakeCsiPlugin plugin = plugin(P, LIST_113);
    plugin.condition(volume(P, DB).id(), SICK);
    try (HealthMonitor monitor = byHand()) {
      assertThat(words(monitor.look())).containsExactly(BEGUN);
      plugin.upgrade(LIST_112.without(ControllerCapability.VOLUME_CONDITION));
      List<HealthMonitor.Change> news = new ArrayList<>();
      for (int round = 0; round < 4; round++) {
        news.addAll(monitor.look());
      }
      assertThat(words(news)).containsExactly(OVER);
    }
  }

  @Test
  void aVolumeIsAskedAboutWithItsOwnSecretsAndAListWithThoseThatAllShare() {
    FakeCsiPlugin plugin = plugin(P, GET_113);
    controller.create(DB, spec(P).secrets(SecretsReference.of("prod")).build());
    controller.create(WEB, spec(P).secrets(SecretsReference.of("prod")).build());
    try (HealthMonitor monitor = byHand()) {
      assertThat(monitor.look()).isEmpty();
      plugin.upgrade(LIST_113);
      Waits.until(
          () -> {
            assertThat(monitor.look()).isEmpty();
            return !plugin.journal().calls(CONTROLLER_LIST_VOLUME_HEALTH).isEmpty();
          });
      controller.create(VolumeKey.of("third"), spec(P).build());
      assertThat(monitor.look()).isEmpty();
    }
    try (HealthMonitor monitor =
        monitor()
            .timer(false)
            .secretsOfLists(id -> Optional.of(SecretsReference.of("admin")))
            .open()) {
      assertThat(monitor.look()).isEmpty();
    }
    assertThat(plugin.journal().calls(CONTROLLER_GET_VOLUME_HEALTH))
        .isNotEmpty()
        .allSatisfy(call -> assertThat(secrets(call)).containsExactly("key-of-prod"));
    List<Set<String>> ofLists =
        plugin.journal().calls(CONTROLLER_LIST_VOLUME_HEALTH).stream()
            .map(HealthMonitorTest::secrets)
            .distinct()
            .toList();
    assertThat(ofLists).containsExactly(Set.of("key-of-prod"), Set.of(), Set.of("key-of-admin"));
  }

  private static Set<String> secrets(RecordedCall call) {
    return call.request().map("secrets").keySet();
  }

  @Test
  void aPluginIsAskedAboutTwoVolumesAtOnceAndNoMore() {
    FakeCsiPlugin plugin = plugin(P, GET_113);
    for (int i = 0; i < 6; i++) {
      volume(P, VolumeKey.of("v" + i));
    }
    plugin.inject(Fault.hang(), When.calling(CONTROLLER_GET_VOLUME_HEALTH));
    try (HealthMonitor monitor = byHand()) {
      CompletableFuture<List<HealthMonitor.Change>> round =
          CompletableFuture.supplyAsync(monitor::look);
      Waits.until(() -> plugin.journal().inFlight().size() == 2);
      Waits.until(
          () -> {
            plugin.release();
            return round.isDone();
          });
      assertThat(Waits.on(round)).isEmpty();
    }
    assertThat(plugin.journal().calls(CONTROLLER_GET_VOLUME_HEALTH))
        .hasSize(6)
        .allSatisfy(call -> assertThat(call.beside()).hasSizeLessThan(2));
  }

  // ---- plugins that do not answer

  @Test
  void aRoundThatFailsIsToldOnceAndChangesNothing() {
    FakeCsiPlugin plugin = plugin(P, LIST_113);
    plugin.condition(volume(P, DB).id(), SICK);
    try (HealthMonitor monitor = byHand()) {
      assertThat(words(monitor.look())).containsExactly(BEGUN);
      for (int failing = 1; failing <= 2; failing++) {
        plugin.inject(
            Fault.fail(StatusCode.INTERNAL, "no array"),
            When.calling(CONTROLLER_LIST_VOLUME_HEALTH));
        for (int round = 0; round < 3; round++) {
          assertThat(monitor.look()).isEmpty();
          assertThat(monitor.unwell()).containsOnlyKeys(DB);
        }
        int expected = failing;
        Waits.until(() -> told.size() == expected);
        plugin.clearFaults();
        assertThat(monitor.look()).isEmpty();
      }
    }
    assertThat(told)
        .hasSize(2)
        .allSatisfy(
            message -> {
              assertThat(message.code()).isEqualTo(OperatorCode.CONTROLLER_CALL_IN_DOUBT);
              assertThat(message.line())
                  .contains("listing the health of the volumes of plugin 'fake'")
                  .contains("no array");
            });
    assertThat(changes).containsExactly(BEGUN);
  }

  @Test
  void aVolumeThatCannotBeReadKeepsNoOtherFromBeingRead() {
    FakeCsiPlugin plugin = plugin(P, GET_113);
    CatalogVolume broken = volume(P, VolumeKey.of("a"));
    plugin.inject(
        Fault.fail(StatusCode.NOT_FOUND, "who?"),
        When.calling(CONTROLLER_GET_VOLUME_HEALTH).ofVolume(broken.id()));
    plugin.condition(volume(P, DB).id(), SICK);
    try (HealthMonitor monitor = byHand()) {
      assertThat(words(monitor.look())).containsExactly(BEGUN);
      assertThat(monitor.look()).isEmpty();
      assertThat(monitor.health(VolumeKey.of("a")).isWell()).isTrue();
    }
    assertThat(told)
        .singleElement()
        .satisfies(
            message -> {
              assertThat(message.code()).isEqualTo(OperatorCode.CONTROLLER_CALL_REFUSED);
              assertThat(message.line()).contains(broken.id().value());
            });
  }

  @Test
  void volumesWithoutAnAnswerKeepThoseAfterThemWaitingForOneRoundOnly() {
    FakeCsiPlugin plugin = plugin(P, GET_113);
    for (String silent : List.of("a", "b", "c")) {
      plugin.inject(
          Fault.fail(StatusCode.UNAVAILABLE, "its array is gone"),
          When.calling(CONTROLLER_GET_VOLUME_HEALTH)
              .ofVolume(volume(P, VolumeKey.of(silent)).id()));
    }
    plugin.condition(volume(P, DB).id(), SICK);
    try (HealthMonitor monitor = byHand()) {
      assertThat(monitor.look()).isEmpty();
      assertThat(words(monitor.look())).containsExactly(BEGUN);
      assertThat(monitor.look()).isEmpty();
      assertThat(monitor.unwell()).containsOnlyKeys(DB);
    }
  }

  @Test
  void volumesWhoseSecretsAreMissingKeepNoOtherFromBeingRead() {
    FakeCsiPlugin plugin = plugin(P, GET_113);
    for (String name : List.of("a", "b", "c")) {
      controller.create(
          VolumeKey.of(name), spec(P).secrets(SecretsReference.of("old-" + name)).build());
      missingSecrets.add("old-" + name);
    }
    plugin.condition(volume(P, DB).id(), SICK);
    try (HealthMonitor monitor = byHand()) {
      assertThat(words(monitor.look())).containsExactly(BEGUN);
    }
    assertThat(told)
        .singleElement()
        .satisfies(
            message ->
                assertThat(message.code()).isEqualTo(OperatorCode.CONTROLLER_SECRETS_MISSING));
  }

  @Test
  void aPluginThatIsGoneIsToldAlthoughOneOfItsVolumesCouldNotBeReadBefore() {
    FakeCsiPlugin plugin = plugin(P, GET_113);
    CatalogVolume broken = volume(P, VolumeKey.of("a"));
    volume(P, DB);
    plugin.inject(
        Fault.fail(StatusCode.NOT_FOUND, "who?"),
        When.calling(CONTROLLER_GET_VOLUME_HEALTH).ofVolume(broken.id()));
    try (HealthMonitor monitor = byHand()) {
      lookTwice(monitor, 1);
      plugin.clearFaults();
      plugin.inject(
          Fault.fail(StatusCode.UNAVAILABLE, "gone"), When.calling(CONTROLLER_GET_VOLUME_HEALTH));
      lookTwice(monitor, 2);
      plugin.clearFaults();
      plugin.inject(
          Fault.fail(StatusCode.NOT_FOUND, "who?"),
          When.calling(CONTROLLER_GET_VOLUME_HEALTH).ofVolume(broken.id()));
      lookTwice(monitor, 2);
      plugin.clearFaults();
      plugin.inject(
          Fault.fail(StatusCode.UNAVAILABLE, "gone"), When.calling(CONTROLLER_GET_VOLUME_HEALTH));
      lookTwice(monitor, 3);
    }
    assertThat(told.stream().map(OperatorMessage::line))
        .satisfiesExactly(
            volume -> assertThat(volume).contains("who?"),
            gone -> assertThat(gone).contains("gone"),
            again -> assertThat(again).contains("gone"));
  }

  /** Messages are told on another thread. */
  private void lookTwice(HealthMonitor monitor, int messages) {
    assertThat(monitor.look()).isEmpty();
    assertThat(monitor.look()).isEmpty();
    Waits.until(() -> told.size() == messages);
  }

  @Test
  void aPluginThatAnswersNothingIsNotAskedAboutAllItsVolumes() {
    FakeCsiPlugin plugin = plugin(P, GET_113);
    for (int i = 0; i < 20; i++) {
      volume(P, VolumeKey.of("v" + i));
    }
    plugin.inject(
        Fault.fail(StatusCode.UNAVAILABLE, "starting"), When.calling(CONTROLLER_GET_VOLUME_HEALTH));
    try (HealthMonitor monitor = byHand()) {
      assertThat(monitor.look()).isEmpty();
    }
    assertThat(plugin.journal().calls(CONTROLLER_GET_VOLUME_HEALTH)).hasSizeLessThan(6);
    assertThat(told).hasSize(1);
  }

  @Test
  void aPluginThatHangsDelaysNoOtherAndNoClosing() {
    FakeCsiPlugin hung = plugin(OTHER, LIST_113);
    FakeCsiPlugin well = plugin(P, LIST_113);
    volume(OTHER, WEB);
    well.condition(volume(P, DB).id(), SICK);
    hung.inject(Fault.hang(), When.calling(CONTROLLER_LIST_VOLUME_HEALTH));
    CompletableFuture<List<HealthMonitor.Change>> looked;
    try (HealthMonitor monitor = monitor().every(Duration.ofMillis(5)).open()) {
      Waits.until(() -> hung.journal().inFlight().size() == 1);
      Waits.until(() -> changes.contains(BEGUN));
      int before = well.journal().calls(CONTROLLER_LIST_VOLUME_HEALTH).size();
      Waits.until(() -> well.journal().calls(CONTROLLER_LIST_VOLUME_HEALTH).size() > before + 50);
      looked = CompletableFuture.supplyAsync(monitor::look);
      assertThat(monitor.unwell()).containsOnlyKeys(DB);
      assertThat(hung.journal().calls(CONTROLLER_LIST_VOLUME_HEALTH)).hasSize(1);
      assertThat(ControllerWorld.threads("csi4j-volume-health-monitor-").size())
          .as("some for two plugins, however many rounds there were, and one for the time")
          .isLessThanOrEqualTo(12);
    }
    Waits.until(() -> ControllerWorld.threads("csi4j-volume-health").isEmpty());
    assertThat(looked).satisfies(it -> Waits.until(it::isDone));
    assertThat(changes).containsExactly(BEGUN);
    assertThat(told).isEmpty();
  }

  // ---- life

  @Test
  void eachPluginHasItsPaceWhichSlowsDownWhileItDoesNotAnswer() {
    FakeCsiPlugin plugin = plugin(P, LIST_113);
    volume(P, DB);
    VirtualTime time = new VirtualTime();
    Duration minute = Duration.ofMinutes(1);
    try (HealthMonitor monitor = monitor().every(minute).open(time, time, () -> {})) {
      time.settle();
      assertThat(plugin.journal().calls(CONTROLLER_LIST_VOLUME_HEALTH)).hasSize(1);
      assertThat(time.timers()).containsExactly(minute, minute);

      plugin.inject(
          Fault.fail(StatusCode.UNAVAILABLE, "starting"),
          When.calling(CONTROLLER_LIST_VOLUME_HEALTH));
      time.pass(minute);
      assertThat(plugin.journal().calls(CONTROLLER_LIST_VOLUME_HEALTH)).hasSize(2);
      assertThat(time.timers()).containsExactly(minute, minute.multipliedBy(2));

      plugin.clearFaults();
      time.pass(minute.multipliedBy(2));
      assertThat(plugin.journal().calls(CONTROLLER_LIST_VOLUME_HEALTH)).hasSize(3);
      assertThat(time.timers()).containsExactly(minute, minute);
      assertThat(monitor.unwell()).isEmpty();
    }
    assertThat(time.waiting()).as("timers after closing").isZero();
  }

  @Test
  void aPluginThatGetsItsFirstVolumeLaterIsFound() {
    FakeCsiPlugin plugin = plugin(P, LIST_113);
    VirtualTime time = new VirtualTime();
    try (HealthMonitor monitor = monitor().open(time, time, () -> {})) {
      time.settle();
      assertThat(asked(plugin)).isEmpty();
      plugin.condition(volume(P, DB).id(), SICK);
      time.pass(Duration.ofMinutes(1));
      assertThat(monitor.unwell()).containsOnlyKeys(DB);
    }
  }

  @Test
  void aPluginThatGetsItsFirstVolumeIsFoundAfterAStoreWasDown() {
    FakeCsiPlugin plugin = plugin(P, LIST_113);
    BrokenStore store = new BrokenStore(new MemoryStore());
    VirtualTime time = new VirtualTime();
    try (VolumeController shared = VolumeController.builder(world.registry(), store).open();
        HealthMonitor monitor =
            HealthMonitor.builder(shared)
                .listener(change -> changes.add(words(change)))
                .open(time, time, () -> {})) {
      store.fail(
          () -> new RecordStoreException(RecordStoreException.Reason.UNAVAILABLE, "no answer"));
      time.pass(Duration.ofMinutes(2));
      store.answer();
      plugin.condition(shared.create(DB, spec(P).build()).id(), SICK);

      time.pass(Duration.ofMinutes(2));

      assertThat(monitor.unwell()).containsOnlyKeys(DB);
    }
    assertThat(time.waiting()).as("timers after closing").isZero();
  }

  @Test
  void aClosedMonitorLooksNoMoreAndHasToldEverything() {
    FakeCsiPlugin plugin = plugin(P, LIST_113);
    plugin.condition(volume(P, DB).id(), SICK);
    CountDownLatch mayTell = new CountDownLatch(1);
    HealthMonitor monitor =
        HealthMonitor.builder(controller)
            .timer(false)
            .listener(
                change -> {
                  try {
                    mayTell.await();
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                  changes.add(words(change));
                })
            .open();
    assertThat(monitor.look()).hasSize(1);
    mayTell.countDown();
    monitor.close();
    monitor.close();
    assertThat(changes).containsExactly(BEGUN);
    assertThatThrownBy(monitor::look)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("The health monitor is closed. Open another one.");
    assertThat(monitor.unwell()).containsOnlyKeys(DB);
  }

  @Test
  void settingsThatMakeNoSenseAreRefused() {
    assertThatThrownBy(() -> monitor().every(Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("The interval has to be positive, not PT0S.");
    assertThatThrownBy(() -> monitor().callsInFlight(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("At least one call must be allowed, not 0.");
  }

  // ---- beside the claims

  @ParameterizedTest(name = "{0}")
  @MethodSource("kinds")
  void aLookAtDriftTellsTheSameThroughAController(
      String name, PluginShape shape, CsiOperation call, int rounds) {
    FakeCsiPlugin plugin = plugin(P, shape);
    CatalogVolume db = volume(P, DB);
    volume(P, WEB);
    plugin.condition(db.id(), SICK);
    DriftCheck.Report report =
        new DriftCheck(controller, P, new MemoryStore()).look(controller.handles(P));
    assertThat(report.findings())
        .singleElement()
        .isInstanceOfSatisfying(
            Drift.AbnormalVolume.class,
            drift -> {
              assertThat(drift.volume()).isEqualTo(DB);
              assertThat(drift.finding().entry()).isEqualTo(ENTRY);
              assertThat(drift.finding().source()).isEqualTo(Source.controller());
              assertThat(drift.message().code()).isEqualTo(OperatorCode.VOLUME_ABNORMAL);
              assertThat(drift.message().seen().text())
                  .isEqualTo(
                      "the storage system says: DEGRADED (VolumeCondition): 'one disk of two is"
                          + " gone'");
            });
  }
}
