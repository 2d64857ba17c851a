package io.csi4j.volume.controller;

import static io.csi4j.client.model.CsiOperation.CONTROLLER_GET_CAPABILITIES;
import static io.csi4j.client.model.CsiOperation.CONTROLLER_PUBLISH_VOLUME;
import static io.csi4j.client.model.CsiOperation.CONTROLLER_UNPUBLISH_VOLUME;
import static io.csi4j.volume.controller.ControllerWorld.ID;
import static io.csi4j.volume.controller.ControllerWorld.health;
import static io.csi4j.volume.controller.ControllerWorld.ready;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.PublishContext;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.effects.NodeEffects;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.internal.time.OnDemandThreads;
import io.csi4j.volume.internal.time.Scheduler;
import io.csi4j.volume.internal.time.Waits;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.SecretsProvider;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.plugin.InstanceId;
import io.csi4j.volume.plugin.PluginHandle;
import io.csi4j.volume.plugin.PluginHealth.Reason;
import io.csi4j.volume.plugin.PluginHealth.State;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.PluginRegistry;
import io.csi4j.volume.plugin.PluginRole;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Controllers behind real sockets. */
class RegistryControllersTest {

  private static final NodeId NODE = NodeId.of("node-1");
  private static final VolumeId ONE = VolumeId.of("vol-1");
  private static final VolumeId TWO = VolumeId.of("vol-2");
  private static final Subject SUBJECT = Subject.of("asking");
  private static final Duration SECONDS = Duration.ofSeconds(20);

  @TempDir Path directory;

  private final ControllerWorld world = new ControllerWorld();
  private final OnDemandThreads threads = new OnDemandThreads("csi4j-volume-test");
  private RegistryControllers controllers = open(ControllerSettings.defaults());

  private RegistryControllers open(ControllerSettings settings) {
    return open(settings, threads);
  }

  private RegistryControllers open(ControllerSettings settings, Scheduler workers) {
    return new RegistryControllers(
        PluginInstances.of(world.registry()),
        settings.toBuilder().policy(policy -> policy.attempts(1)).build(),
        workers);
  }

  private void reopen(ControllerSettings settings) {
    controllers.close();
    controllers = open(settings);
  }

  @AfterEach
  void nothingIsLeft() {
    assertThat(controllers.turnsTaken()).isZero();
    controllers.close();
    threads.close();
    world.close();
    Waits.until(() -> ControllerWorld.threads("csi4j-volume-connect").isEmpty());
  }

  private FakeCsiPlugin plugin() {
    FakeCsiPlugin plugin = world.registered();
    plugin.addVolume(ONE);
    plugin.addVolume(TWO);
    return plugin;
  }

  private CompletableFuture<PublishContext> publish(VolumeId volume, NodeId node) {
    return publish(volume, node, SecretsProvider.none());
  }

  private CompletableFuture<PublishContext> publish(
      VolumeId volume, NodeId node, SecretsProvider secrets) {
    return controllers.call(
        ControllerCalls.publish(
            new VolumeIdentity(ID, volume),
            new ControllerCalls.Attaching(
                node,
                VolumeCapability.mount(AccessMode.SINGLE_NODE_WRITER),
                false,
                VolumeContext.empty()),
            secrets));
  }

  private static ControllerException failure(CompletableFuture<?> future) {
    try {
      Waits.on(future);
      throw new AssertionError("it did not fail");
    } catch (CompletionException failed) {
      return (ControllerException) failed.getCause();
    }
  }

  private static RecordedCall hung(FakeCsiPlugin plugin, VolumeId volume) {
    return plugin
        .journal()
        .await(
            call ->
                call.operation() == CONTROLLER_PUBLISH_VOLUME
                    && call.volume().equals(Optional.of(volume)),
            SECONDS);
  }

  @Test
  void aNodeIsDoubtedIfThePluginSaysThatItIsFullAndNotIfAnAnswerIsTooLarge() {
    FakeCsiPlugin plugin = plugin();
    List<Object> doubted = new ArrayList<>();
    PluginRegistry told =
        (PluginRegistry)
            Proxy.newProxyInstance(
                PluginRegistry.class.getClassLoader(),
                new Class<?>[] {PluginRegistry.class},
                (self, method, arguments) -> {
                  if (method.getName().equals("recheck")) {
                    doubted.add(arguments[0]);
                  }
                  return method.invoke(world.registry(), arguments);
                });
    controllers.close();
    controllers =
        new RegistryControllers(
            PluginInstances.of(told),
            ControllerSettings.builder().policy(policy -> policy.attempts(1)).build(),
            threads);
    plugin.inject(
        Fault.answer(Fault.WrongAnswer.OVERSIZED), When.calling(CONTROLLER_PUBLISH_VOLUME).once());

    ControllerException unread = failure(publish(ONE, NODE));

    assertThat(unread.status()).contains(StatusCode.RESOURCE_EXHAUSTED);
    assertThat(unread.outcome()).isEqualTo(ChangeOutcome.UNCERTAIN);
    assertThat(doubted).as("the node is not full").isEmpty();
    plugin.inject(
        Fault.fail(StatusCode.RESOURCE_EXHAUSTED, "no slot"),
        When.calling(CONTROLLER_PUBLISH_VOLUME).once());
    assertThat(failure(publish(TWO, NODE)).status()).contains(StatusCode.RESOURCE_EXHAUSTED);
    assertThat(doubted).containsExactly(ID);
  }

  // ---- which instance

  @Test
  void theInstanceOfLastTimeIsCalledAgainUntilItIsNotReady() {
    FakeCsiPlugin old = world.plugin(PluginShape.full());
    FakeCsiPlugin newer = world.plugin(PluginShape.full());
    old.addVolume(ONE);
    newer.addVolume(ONE);
    PluginHandle first = world.register("old", old.endpoint());
    first.report(ready());
    Waits.on(publish(ONE, NODE));
    world.register("new", newer.endpoint()).report(ready());

    Waits.on(publish(ONE, NODE));
    assertThat(old.journal().calls(CONTROLLER_PUBLISH_VOLUME)).hasSize(2);

    first.report(health(State.UNHEALTHY, Reason.SILENT));
    Waits.on(publish(ONE, NODE));
    first.report(ready());
    Waits.on(publish(ONE, NODE));
    assertThat(old.journal().calls(CONTROLLER_PUBLISH_VOLUME)).hasSize(2);
    assertThat(newer.journal().calls(CONTROLLER_PUBLISH_VOLUME)).hasSize(2);
  }

  @Test
  void whereOneCannotBeConnectedTheNextIsCalled() {
    FakeCsiPlugin there = world.plugin(PluginShape.full());
    there.addVolume(ONE);
    world.register("there", there.endpoint());
    world.register(
        "not there",
        CsiEndpoint.of(directory.resolve("none.sock")),
        ConnectOptions.builder().deadline(Duration.ofMillis(50)).build());

    Waits.on(publish(ONE, NODE));

    assertThat(there.journal().calls(CONTROLLER_PUBLISH_VOLUME)).hasSize(1);
  }

  @Test
  void oneThatIsLostInACallGivesWayToAnother() {
    FakeCsiPlugin lost = world.plugin(PluginShape.full());
    FakeCsiPlugin other = world.plugin(PluginShape.full());
    other.addVolume(ONE);
    lost.addVolume(ONE);
    world.register("other", other.endpoint()).report(ready());
    world.register("lost", lost.endpoint()).report(ready());
    lost.inject(Fault.drop(), When.calling(CONTROLLER_PUBLISH_VOLUME));

    ControllerException failed = failure(publish(ONE, NODE));
    assertThat(failed.outcome()).isEqualTo(ChangeOutcome.UNCERTAIN);
    assertThat(failed.code()).isEqualTo(OperatorCode.CONTROLLER_CALL_IN_DOUBT);
    assertThat(failed.status()).contains(StatusCode.UNAVAILABLE);

    Waits.on(publish(ONE, NODE));
    assertThat(other.journal().calls(CONTROLLER_PUBLISH_VOLUME)).hasSize(1);
  }

  @Test
  void whereThereIsNoControllerNothingIsSentAndTheReasonIsSaid() {
    ControllerException missing = failure(publish(ONE, NODE));
    assertThat(missing.outcome()).isEqualTo(ChangeOutcome.UNAVAILABLE);
    assertThat(missing.code()).isEqualTo(OperatorCode.PLUGIN_NOT_REGISTERED);
    assertThat(missing)
        .hasMessageContaining(
            "attaching volume 'vol-1' of plugin 'fake' to node 'node-1': it is not registered with"
                + " the role CONTROLLER; ");
    assertThat(missing.rpc()).isEqualTo(Optional.empty());

    FakeCsiPlugin plugin = world.plugin(PluginShape.full());
    world.register("a", plugin.endpoint()).report(health(State.UNHEALTHY, Reason.SILENT));
    ControllerException unhealthy = failure(publish(ONE, NODE));
    assertThat(unhealthy.outcome()).isEqualTo(ChangeOutcome.UNAVAILABLE);
    assertThat(unhealthy.code()).isEqualTo(OperatorCode.PLUGIN_UNHEALTHY);
    assertThat(unhealthy).hasMessageContaining(": its only controller cannot be called: ");
    assertThat(plugin.journal().calls()).isEmpty();
  }

  @Test
  void aPluginThatIsRegisteredForTheNodeAloneHasNoControllerAndTheMissingRoleIsNamed() {
    PluginBinding binding = PluginBinding.of(ID, world.plugin(PluginShape.full()).endpoint());
    world
        .registry()
        .register(new PluginRegistration(binding, InstanceId.ONLY, EnumSet.of(PluginRole.NODE)));

    assertThat(failure(publish(ONE, NODE)))
        .hasMessage(
            "CSI-301 PLUGIN_NOT_REGISTERED: attaching volume 'vol-1' of plugin 'fake' to node"
                + " 'node-1': it is registered with the role NODE, and not registered with the role"
                + " CONTROLLER; existing mounts stay; nothing was done. Register it for the named"
                + " role.");
  }

  @Test
  void theConnectionOfAnInstanceThatHasLeftIsEndedWhenItsCallsAre() {
    FakeCsiPlugin plugin = world.plugin(PluginShape.full());
    plugin.addVolume(ONE);
    PluginHandle handle = world.register("a", plugin.endpoint());
    plugin.inject(Fault.hang(), When.calling(CONTROLLER_PUBLISH_VOLUME).once());
    CompletableFuture<PublishContext> open = publish(ONE, NODE);
    hung(plugin, ONE);

    handle.close();
    plugin.release();

    assertThat(Waits.on(open).keys()).isEqualTo(Waits.on(open).keys());
    assertThat(failure(publish(ONE, NODE)).code()).isEqualTo(OperatorCode.PLUGIN_NOT_REGISTERED);
  }

  /** So many calls for different volumes, all of which hang, and more that wait for them. */
  private List<CompletableFuture<PublishContext>> crowd(FakeCsiPlugin plugin, int more) {
    return crowd(plugin, more, threads);
  }

  private List<CompletableFuture<PublishContext>> crowd(
      FakeCsiPlugin plugin, int more, Scheduler workers) {
    controllers.close();
    controllers =
        open(
            ControllerSettings.builder()
                .attaching(ControllerSettings.Concurrency.PER_VOLUME)
                .build(),
            workers);
    plugin.inject(Fault.hang(), When.calling(CONTROLLER_PUBLISH_VOLUME));
    List<CompletableFuture<PublishContext>> all = new ArrayList<>();
    for (int i = 0; i < ControllerLink.MOST_CALLS + more; i++) {
      VolumeId volume = VolumeId.of("crowd-" + i);
      plugin.addVolume(volume);
      all.add(publish(volume, NODE));
    }
    Waits.until(
        () ->
            plugin.journal().calls(CONTROLLER_PUBLISH_VOLUME).size() == ControllerLink.MOST_CALLS);
    return all;
  }

  @Test
  void beyondSomeCallsInFlightFurtherOnesWaitForTheirEnd() {
    FakeCsiPlugin plugin = plugin();
    List<CompletableFuture<PublishContext>> all = crowd(plugin, 3);

    plugin.clearFaults();
    assertThat(plugin.journal().calls(CONTROLLER_PUBLISH_VOLUME))
        .hasSize(ControllerLink.MOST_CALLS);
    plugin.release();

    all.forEach(Waits::on);
    assertThat(plugin.journal().calls(CONTROLLER_PUBLISH_VOLUME))
        .hasSize(ControllerLink.MOST_CALLS + 3);
  }

  @Test
  void closingAnswersTheCallsThatWaitForOthersToo() {
    List<CompletableFuture<PublishContext>> all = crowd(plugin(), 3);

    controllers.close();

    all.forEach(each -> assertThat(failure(each)).isNotNull());
    controllers = open(ControllerSettings.defaults());
  }

  // ---- a machine without threads

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void aCallForWhichTheMachineGivesNoThreadFailsAndGivesItsLaneBack(int before) {
    FakeCsiPlugin plugin = plugin();
    controllers.close();
    AtomicInteger left = new AtomicInteger(before);
    controllers = world.controllers(threadsOfWhichOneIsRefused(left));

    ControllerException failed = failure(publish(ONE, NODE));

    assertThat(failed.outcome()).isEqualTo(ChangeOutcome.UNAVAILABLE);
    assertThat(failed.code()).isEqualTo(OperatorCode.CONTROLLER_BUSY);
    assertThat(failed).hasMessageContaining("no thread could be started for it");
    Waits.on(publish(ONE, NODE));
    assertThat(plugin.journal().calls(CONTROLLER_PUBLISH_VOLUME)).hasSize(1);
  }

  @Test
  void aCallThatWaitedForOthersAndGetsNoThreadGivesItsPlaceToTheNext() {
    FakeCsiPlugin plugin = plugin();
    AtomicInteger left = new AtomicInteger(Integer.MAX_VALUE);
    List<CompletableFuture<PublishContext>> all =
        crowd(plugin, 2, threadsOfWhichOneIsRefused(left));

    left.set(0);
    plugin.clearFaults();
    plugin.release();

    Waits.until(() -> all.stream().allMatch(CompletableFuture::isDone));
    assertThat(all).filteredOn(CompletableFuture::isCompletedExceptionally).hasSize(1);
    int before = plugin.journal().calls(CONTROLLER_PUBLISH_VOLUME).size();
    assertThat(before).isEqualTo(ControllerLink.MOST_CALLS + 1);
    plugin.inject(Fault.hang(), When.calling(CONTROLLER_PUBLISH_VOLUME));
    List<CompletableFuture<PublishContext>> others = new ArrayList<>();
    for (int i = 0; i < ControllerLink.MOST_CALLS; i++) {
      others.add(publish(VolumeId.of("crowd-" + i), NodeId.of("node-2")));
    }
    Waits.until(
        () ->
            plugin.journal().calls(CONTROLLER_PUBLISH_VOLUME).size()
                == before + ControllerLink.MOST_CALLS);
    plugin.clearFaults();
    plugin.release();
    Waits.until(() -> others.stream().allMatch(CompletableFuture::isDone));
  }

  /**
   * So many pieces of work are run, one is refused as by a machine at its limit, others are run.
   */
  private Scheduler threadsOfWhichOneIsRefused(AtomicInteger before) {
    return new Scheduler() {
      @Override
      public void execute(Runnable work) {
        if (before.getAndDecrement() == 0) {
          throw new OutOfMemoryError("unable to create native thread");
        }
        threads.execute(work);
      }

      @Override
      public Timer after(Duration delay, Runnable work) {
        return threads.after(delay, work);
      }
    };
  }

  // ---- what it can do

  @Test
  void whatItCanDoIsAskedOnceForEachConnection() {
    FakeCsiPlugin plugin = plugin();

    assertThat(Waits.on(controllers.facts(ID, SUBJECT)).attaches()).isTrue();
    int asked = plugin.journal().calls(CONTROLLER_GET_CAPABILITIES).size();
    assertThat(Waits.on(controllers.facts(ID, SUBJECT)).attaches()).isTrue();
    assertThat(plugin.journal().calls(CONTROLLER_GET_CAPABILITIES)).hasSize(asked);

    plugin.upgrade(PluginShape.full().without(ControllerCapability.PUBLISH_UNPUBLISH_VOLUME));
    ControllerException refused = failure(publish(ONE, NODE));

    assertThat(refused.code()).isEqualTo(OperatorCode.CONTROLLER_CALL_NOT_OFFERED);
    assertThat(refused.outcome()).isEqualTo(ChangeOutcome.REFUSED);
    assertThat(Waits.on(controllers.facts(ID, SUBJECT)).attaches()).isFalse();
    assertThat(Waits.on(controllers.facts(ID, SUBJECT)).name()).contains(PluginShape.full().name());
  }

  // ---- who waits for whom

  @Test
  @Tag("S-202")
  void volumesOfAPluginAreAttachedOneAfterTheOtherUnlessAllowedOtherwise() {
    FakeCsiPlugin plugin = plugin();
    plugin.inject(Fault.hang(), When.calling(CONTROLLER_PUBLISH_VOLUME).ofVolume(ONE).once());
    CompletableFuture<PublishContext> first = publish(ONE, NODE);
    hung(plugin, ONE);
    CompletableFuture<PublishContext> second = publish(TWO, NODE);
    assertThat(second).isNotDone();

    plugin.release();
    Waits.on(first);
    Waits.on(second);

    assertThat(plugin.journal().calls(CONTROLLER_PUBLISH_VOLUME))
        .allMatch(call -> call.beside().isEmpty());
  }

  @Test
  @Tag("S-202")
  void perVolumeTwoVolumesAreAttachedBesideEachOther() {
    reopen(
        ControllerSettings.builder().attaching(ControllerSettings.Concurrency.PER_VOLUME).build());
    FakeCsiPlugin plugin = plugin();
    plugin.inject(Fault.hang(), When.calling(CONTROLLER_PUBLISH_VOLUME).ofVolume(ONE).once());
    CompletableFuture<PublishContext> first = publish(ONE, NODE);
    hung(plugin, ONE);

    Waits.on(publish(TWO, NODE));

    assertThat(first).isNotDone();
    CompletableFuture<Done> same =
        controllers.call(
            ControllerCalls.unpublish(new VolumeIdentity(ID, ONE), NODE, SecretsProvider.none()));
    plugin.release();
    Waits.on(first);
    Waits.on(same);
    assertThat(plugin.journal().calls(CONTROLLER_UNPUBLISH_VOLUME))
        .allMatch(call -> call.beside().isEmpty());
  }

  @Test
  @Tag("S-202")
  void perNodeTwoNodesDoNotWaitForEachOther() {
    reopen(ControllerSettings.builder().attaching(ControllerSettings.Concurrency.PER_NODE).build());
    FakeCsiPlugin plugin =
        FakeCsiPlugin.builder().nodes(NODE, NodeId.of("node-2")).effects(NodeEffects.none()).open();
    world.register("only", plugin.endpoint());
    plugin.addVolume(ONE);
    plugin.addVolume(TWO);
    plugin.inject(Fault.hang(), When.calling(CONTROLLER_PUBLISH_VOLUME).ofVolume(ONE).once());
    CompletableFuture<PublishContext> first = publish(ONE, NODE);
    hung(plugin, ONE);
    VolumeId three = VolumeId.of("vol-3");
    plugin.addVolume(three);
    CompletableFuture<PublishContext> sameNode = publish(three, NODE);

    Waits.on(publish(TWO, NodeId.of("node-2")));

    assertThat(first).isNotDone();
    assertThat(sameNode).isNotDone();
    plugin.release();
    Waits.on(first);
    Waits.on(sameNode);
    plugin.close();
  }

  @Test
  void aCallThatIsCancelledWhileItWaitsIsNeverSent() {
    FakeCsiPlugin plugin = plugin();
    plugin.inject(Fault.hang(), When.calling(CONTROLLER_PUBLISH_VOLUME).ofVolume(ONE).once());
    CompletableFuture<PublishContext> first = publish(ONE, NODE);
    hung(plugin, ONE);
    CompletableFuture<PublishContext> second = publish(TWO, NODE);

    assertThat(second.cancel(true)).isTrue();
    plugin.release();
    Waits.on(first);
    Waits.on(
        controllers.call(
            ControllerCalls.unpublish(new VolumeIdentity(ID, ONE), NODE, SecretsProvider.none())));

    assertThat(plugin.journal().calls(TWO)).isEmpty();
  }

  @Test
  void aCallThatIsCancelledAfterItWasSentKeepsItsTurnUntilItsEnd() {
    FakeCsiPlugin plugin = plugin();
    plugin.inject(Fault.hang(), When.calling(CONTROLLER_PUBLISH_VOLUME).ofVolume(ONE).once());
    CompletableFuture<PublishContext> first = publish(ONE, NODE);
    hung(plugin, ONE);

    first.cancel(true);
    CompletableFuture<PublishContext> second = publish(TWO, NODE);
    assertThat(plugin.journal().inFlight()).hasSize(1);
    plugin.release();

    Waits.on(second);
    assertThat(plugin.journal().calls(CONTROLLER_PUBLISH_VOLUME))
        .allMatch(call -> call.beside().isEmpty());
  }

  // ---- secrets

  @Test
  void secretsAreAskedForWithEachCallAndNotBeforeItsTurn() {
    FakeCsiPlugin plugin = plugin();
    AtomicInteger asked = new AtomicInteger();
    SecretsProvider counting =
        operation -> {
          assertThat(operation).isEqualTo(CONTROLLER_PUBLISH_VOLUME);
          asked.incrementAndGet();
          return Secrets.of(Map.of("key", "s3cr3t"));
        };
    plugin.inject(Fault.hang(), When.calling(CONTROLLER_PUBLISH_VOLUME).ofVolume(ONE).once());
    CompletableFuture<PublishContext> first = publish(ONE, NODE, counting);
    hung(plugin, ONE);
    CompletableFuture<PublishContext> second = publish(TWO, NODE, counting);
    assertThat(asked).hasValue(1);

    plugin.release();
    Waits.on(first);
    Waits.on(second);
    assertThat(asked).hasValue(2);
  }

  @Test
  void withoutSecretsNothingIsSentAndTheProvidersWordsAreNotRepeated() {
    FakeCsiPlugin plugin = plugin();

    ControllerException failed =
        failure(
            publish(
                ONE,
                NODE,
                operation -> {
                  throw new IllegalStateException("the password is s3cr3t");
                }));

    assertThat(failed.outcome()).isEqualTo(ChangeOutcome.UNAVAILABLE);
    assertThat(failed.code()).isEqualTo(OperatorCode.CONTROLLER_SECRETS_MISSING);
    assertThat(failed)
        .hasMessageContaining(
            "the host's provider of secrets failed with java.lang.IllegalStateException")
        .hasMessageNotContaining("s3cr3t");
    assertThat(plugin.journal().calls(CONTROLLER_PUBLISH_VOLUME)).isEmpty();
  }

  @Test
  void secretsThatDoNotComeInTimeAreMissing() {
    reopen(ControllerSettings.builder().secretsLimit(Duration.ofMillis(200)).build());
    FakeCsiPlugin plugin = plugin();

    ControllerException failed =
        failure(publish(ONE, NODE, SecretsProvider.async(operation -> new CompletableFuture<>())));

    assertThat(failed.code()).isEqualTo(OperatorCode.CONTROLLER_SECRETS_MISSING);
    assertThat(failed)
        .hasMessageContaining("the host's provider of secrets gave none within 200 ms");
    assertThat(plugin.journal().calls(CONTROLLER_PUBLISH_VOLUME)).isEmpty();
    assertThat(
            Waits.on(
                publish(ONE, NODE, SecretsProvider.always(Secrets.of(Map.of("key", "s3cr3t"))))))
        .isNotNull();
  }

  // ---- what a failure means

  @Test
  void aRefusalIsToldWithCodeCallAndAdvice() {
    FakeCsiPlugin plugin = plugin();
    plugin.inject(
        Fault.fail(StatusCode.FAILED_PRECONDITION, "it is at node-9"),
        When.calling(CONTROLLER_PUBLISH_VOLUME));

    ControllerException failed = failure(publish(ONE, NODE));

    assertThat(failed.outcome()).isEqualTo(ChangeOutcome.REFUSED);
    assertThat(failed.code()).isEqualTo(OperatorCode.CONTROLLER_CALL_REFUSED);
    assertThat(failed.rpc()).contains(CONTROLLER_PUBLISH_VOLUME);
    assertThat(failed.status()).contains(StatusCode.FAILED_PRECONDITION);
    assertThat(failed).hasMessageContaining("it is at node-9");
    assertThat(failed.advice()).doesNotContain(OperatorCode.CONTROLLER_CALL_REFUSED.next());
  }

  @Test
  void afterClosingNothingIsSent() {
    plugin();
    controllers.close();
    assertThat(failure(publish(ONE, NODE)).code()).isEqualTo(OperatorCode.ENGINE_CLOSED);
  }
}
