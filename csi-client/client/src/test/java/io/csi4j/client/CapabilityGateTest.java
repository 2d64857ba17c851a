package io.csi4j.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.controller.ControllerExpandVolumeRequest;
import io.csi4j.client.controller.ControllerUnpublishVolumeRequest;
import io.csi4j.client.controller.DeleteSnapshotRequest;
import io.csi4j.client.group.DeleteVolumeGroupSnapshotRequest;
import io.csi4j.client.internal.proto.ControllerGetCapabilitiesResponse;
import io.csi4j.client.internal.proto.GetPluginCapabilitiesResponse;
import io.csi4j.client.internal.proto.GetPluginInfoRequest;
import io.csi4j.client.internal.proto.GetPluginInfoResponse;
import io.csi4j.client.internal.proto.NodeGetCapabilitiesResponse;
import io.csi4j.client.metadata.GetMetadataAllocatedRequest;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapabilitySet;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.CsiConnectException;
import io.csi4j.client.model.CsiConnectException.Reason;
import io.csi4j.client.model.CsiListener;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.CsiTransientException;
import io.csi4j.client.model.CsiUnsupportedException;
import io.csi4j.client.model.GroupSnapshotId;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.Outcome;
import io.csi4j.client.model.PluginName;
import io.csi4j.client.model.PluginPath;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeId;
import io.csi4j.client.node.NodePublishVolumeRequest;
import io.csi4j.client.node.NodeUnstageVolumeRequest;
import io.csi4j.client.scripted.Samples;
import io.csi4j.client.scripted.ScriptedPlugin;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a plugin does not offer is not sent to it, and what it offers is asked once. */
class CapabilityGateTest extends AgainstScriptedPlugin {

  private static final ControllerExpandVolumeRequest SECRET =
      ControllerExpandVolumeRequest.builder(VolumeId.of("vol-1"), CapacityRange.atLeast(1L << 30))
          .secrets(Secrets.of(Map.of("token", "s3cr3t-s3cr3t")))
          .build();

  private void controllerOffers(ControllerCapability... capabilities) {
    scripted.answer(
        CsiOperation.CONTROLLER_GET_CAPABILITIES,
        ScriptedPlugin.controllerCapabilities(List.of(capabilities)));
  }

  private int asked(CsiOperation operation) {
    return scripted.calls(operation).size();
  }

  @Test
  void aCallThatIsNotOfferedIsRefusedBeforeItIsSent() {
    controllerOffers(ControllerCapability.LIST_VOLUMES);
    CsiPlugin plugin = connect();
    CsiUnsupportedException failure =
        catchThrowableOfType(
            CsiUnsupportedException.class, () -> plugin.controller().expandVolume(EXPAND));
    assertThat(failure.missing()).contains("EXPAND_VOLUME");
    assertThat(failure.code()).isEqualTo(StatusCode.UNIMPLEMENTED);
    assertThat(failure.outcome()).isEqualTo(Outcome.SETTLED);
    assertThat(failure.attempts()).isZero();
    assertThat(failure.failure().subject()).contains("vol-1");
    assertThat(failure.getMessage())
        .contains("needs the controller capability EXPAND_VOLUME, which the plugin does not")
        .contains("[ControllerExpandVolume, ")
        .contains(", not sent, ")
        .endsWith(", settled]");
    assertThat(asked(CsiOperation.CONTROLLER_EXPAND_VOLUME)).isZero();
  }

  @Test
  void aPluginWithoutTheServiceIsNotEvenAskedForItsCapabilities() {
    scripted.answer(
        CsiOperation.GET_PLUGIN_CAPABILITIES, GetPluginCapabilitiesResponse.getDefaultInstance());
    CsiPlugin plugin = connect();
    CsiUnsupportedException failure =
        catchThrowableOfType(
            CsiUnsupportedException.class, () -> plugin.controller().expandVolume(EXPAND));
    assertThat(failure.missing()).contains("CONTROLLER_SERVICE");
    assertThat(asked(CsiOperation.CONTROLLER_GET_CAPABILITIES)).isZero();
  }

  /** What was taken while it was offered is owed; who cannot give it back says so itself. */
  @Test
  void whatGivesBackIsSentWhateverIsOffered() {
    scripted.answer(
        CsiOperation.GET_PLUGIN_CAPABILITIES, GetPluginCapabilitiesResponse.getDefaultInstance());
    scripted.answer(
        CsiOperation.NODE_GET_CAPABILITIES, NodeGetCapabilitiesResponse.getDefaultInstance());
    scripted.fail(CsiOperation.DELETE_SNAPSHOT, StatusCode.UNIMPLEMENTED, "not here");
    CsiPlugin plugin = connect();
    plugin.controller().deleteVolume(DELETE);
    plugin
        .controller()
        .unpublishVolume(
            ControllerUnpublishVolumeRequest.builder(VolumeId.of("vol-1"), NodeId.of("n")).build());
    plugin
        .node()
        .unstageVolume(
            NodeUnstageVolumeRequest.builder(VolumeId.of("vol-1"), PluginPath.of("/s")).build());
    plugin
        .groupController()
        .deleteVolumeGroupSnapshot(
            DeleteVolumeGroupSnapshotRequest.builder(
                    GroupSnapshotId.of("group-1"), List.of(SnapshotId.of("snap-1")))
                .build());
    CsiUnsupportedException failure =
        catchThrowableOfType(
            CsiUnsupportedException.class,
            () ->
                plugin
                    .controller()
                    .deleteSnapshot(
                        DeleteSnapshotRequest.builder(SnapshotId.of("snap-1")).build()));
    assertThat(failure.missing()).isEmpty();
    assertThat(failure.attempts()).isEqualTo(1);
    assertThat(
            Stream.of(
                CsiOperation.DELETE_VOLUME,
                CsiOperation.CONTROLLER_UNPUBLISH_VOLUME,
                CsiOperation.NODE_UNSTAGE_VOLUME,
                CsiOperation.DELETE_VOLUME_GROUP_SNAPSHOT,
                CsiOperation.DELETE_SNAPSHOT))
        .allMatch(operation -> asked(operation) == 1);
  }

  @Test
  void fiftyFirstCallsAtOnceAskOnce() {
    CsiPlugin plugin = connect();
    scripted.forget();
    fiftyCalls(plugin);
    assertThat(asked(CsiOperation.GET_PLUGIN_CAPABILITIES)).isEqualTo(1);
    assertThat(asked(CsiOperation.CONTROLLER_GET_CAPABILITIES)).isEqualTo(1);
    assertThat(asked(CsiOperation.GET_PLUGIN_INFO)).isZero();
  }

  @Test
  void fiftyFirstCallsAfterAReconnectAskOnceAgain() {
    CsiPlugin plugin = connect();
    plugin.controller().expandVolume(EXPAND);
    for (int round = 0; round < 10; round++) {
      restart(plugin);
      scripted.forget();
      fiftyCalls(plugin);
      assertThat(asked(CsiOperation.GET_PLUGIN_CAPABILITIES)).isEqualTo(1);
      assertThat(asked(CsiOperation.CONTROLLER_GET_CAPABILITIES)).isEqualTo(1);
      assertThat(asked(CsiOperation.GET_PLUGIN_INFO)).isEqualTo(1);
    }
  }

  private void fiftyCalls(CsiPlugin plugin) {
    int before = asked(CsiOperation.CONTROLLER_EXPAND_VOLUME);
    List<CompletableFuture<Void>> calls =
        Stream.generate(
                () -> CompletableFuture.runAsync(() -> plugin.controller().expandVolume(EXPAND)))
            .limit(10)
            .toList();
    List<? extends CompletableFuture<?>> stages =
        Stream.generate(
                () -> plugin.controller().async().expandVolume(EXPAND).toCompletableFuture())
            .limit(40)
            .toList();
    calls.forEach(CompletableFuture::join);
    stages.forEach(CompletableFuture::join);
    assertThat(asked(CsiOperation.CONTROLLER_EXPAND_VOLUME) - before).isEqualTo(50);
  }

  /** Ends the connection, and lets the client notice before the plugin is back. */
  private void restart(CsiPlugin plugin) {
    scripted.kill();
    var unused = catchThrowableOfType(CsiTransientException.class, () -> plugin.identity().probe());
    scripted.start();
  }

  @Test
  void aRestartedPluginMayOfferSomethingElse() {
    CsiPlugin plugin = connect();
    plugin.controller().expandVolume(EXPAND);
    controllerOffers(ControllerCapability.LIST_VOLUMES);
    plugin.controller().expandVolume(EXPAND);
    restart(plugin);
    scripted.forget();
    CsiUnsupportedException failure =
        catchThrowableOfType(
            CsiUnsupportedException.class, () -> plugin.controller().expandVolume(EXPAND));
    assertThat(failure.missing()).contains("EXPAND_VOLUME");
    assertThat(asked(CsiOperation.CONTROLLER_EXPAND_VOLUME)).isZero();
  }

  @Test
  void unknownDoubleAndEmptyEntriesAreTolerated() {
    ControllerGetCapabilitiesResponse.Builder odd =
        ScriptedPlugin.controllerCapabilities(
            List.of(ControllerCapability.EXPAND_VOLUME, ControllerCapability.EXPAND_VOLUME))
            .toBuilder();
    odd.addCapabilitiesBuilder();
    odd.addCapabilitiesBuilder().getRpcBuilder().setTypeValue(0);
    odd.addCapabilitiesBuilder().getRpcBuilder().setTypeValue(999);
    scripted.answer(CsiOperation.CONTROLLER_GET_CAPABILITIES, odd.build());
    CsiPlugin plugin = connect();
    plugin.controller().expandVolume(EXPAND);
    CapabilitySet<ControllerCapability> read = plugin.controller().getCapabilities();
    assertThat(read.offered()).containsExactly(ControllerCapability.EXPAND_VOLUME);
    assertThat(read.unrecognized()).containsExactlyInAnyOrder("empty", "rpc 0", "rpc 999");
  }

  @Test
  void anEndpointWithoutANodeServiceSaysSoForNodeCalls() {
    scripted.fail(
        CsiOperation.NODE_GET_CAPABILITIES,
        StatusCode.UNIMPLEMENTED,
        "unknown service csi.v1.Node");
    CsiPlugin plugin = connect();
    CsiUnsupportedException failure =
        catchThrowableOfType(
            CsiUnsupportedException.class,
            () ->
                Samples.call(
                    plugin,
                    CsiOperation.NODE_STAGE_VOLUME,
                    new Samples(1).request(CsiOperation.NODE_STAGE_VOLUME, false)));
    assertThat(failure.operation()).contains(CsiOperation.NODE_STAGE_VOLUME);
    assertThat(failure.outcome()).isEqualTo(Outcome.SETTLED);
    assertThat(failure.attempts()).isZero();
    assertThat(failure.failure().pluginText()).contains("unknown service csi.v1.Node");
    assertThat(asked(CsiOperation.NODE_STAGE_VOLUME)).isZero();
    assertThat(asked(CsiOperation.NODE_GET_CAPABILITIES)).isEqualTo(1);
  }

  @Test
  void aFailureToReadCapabilitiesIsRepeatedWithinThePolicyOfTheCall() {
    scripted.fail(CsiOperation.CONTROLLER_GET_CAPABILITIES, StatusCode.UNAVAILABLE, "starting");
    CsiPlugin plugin = connect();
    CsiTransientException failure =
        catchThrowableOfType(
            CsiTransientException.class,
            () -> plugin.controller().with(policy -> policy.attempts(4)).expandVolume(EXPAND));
    assertThat(asked(CsiOperation.CONTROLLER_GET_CAPABILITIES)).isEqualTo(4);
    assertThat(failure.operation()).contains(CsiOperation.CONTROLLER_EXPAND_VOLUME);
    assertThat(failure.code()).isEqualTo(StatusCode.UNAVAILABLE);
    assertThat(failure.outcome()).isEqualTo(Outcome.SETTLED);
    assertThat(failure.attempts()).isZero();
    assertThat(failure.getSuppressed()).hasSize(3);
    assertThat(failure.failure().pluginText()).contains("starting");
    assertThat(failure.failure().why())
        .startsWith("the call was not sent, because ControllerGetCapabilities failed: ")
        .doesNotContain("somebody listens");
    assertThat(asked(CsiOperation.CONTROLLER_EXPAND_VOLUME)).isZero();
  }

  @Test
  void aCallThatMeetsAPluginThatIsGoneHasTheReasonSuppressedInItself() {
    CsiPlugin plugin = connect();
    scripted.kill();
    for (int i = 0; i < 2; i++) {
      CsiTransientException failure =
          catchThrowableOfType(
              CsiTransientException.class,
              () -> plugin.controller().with(policy -> policy.attempts(1)).expandVolume(EXPAND));
      assertThat(failure.operation()).contains(CsiOperation.CONTROLLER_EXPAND_VOLUME);
      assertThat(failure.getSuppressed())
          .singleElement()
          .isInstanceOfSatisfying(
              CsiConnectException.class,
              seen -> assertThat(seen.reason()).isEqualTo(Reason.NO_SUCH_SOCKET));
    }
  }

  @Test
  void aFailureToReadCapabilitiesIsNotRemembered() {
    AtomicInteger left = new AtomicInteger(2);
    scripted.on(
        CsiOperation.CONTROLLER_GET_CAPABILITIES,
        (call, reply) -> {
          if (left.getAndDecrement() > 0) {
            reply.fail(StatusCode.UNAVAILABLE, "starting");
          } else {
            reply.ok(ScriptedPlugin.defaultAnswer(call.operation(), call.request()));
          }
        });
    connect().controller().expandVolume(EXPAND);
    assertThat(asked(CsiOperation.CONTROLLER_EXPAND_VOLUME)).isEqualTo(1);
  }

  @Test
  void aHangingReadOfCapabilitiesDoesNotOutlastTheCaller() {
    hang(CsiOperation.CONTROLLER_GET_CAPABILITIES);
    CsiPlugin plugin = connect();
    CsiTransientException failure =
        catchThrowableOfType(
            CsiTransientException.class,
            () ->
                plugin
                    .controller()
                    .with(policy -> policy.attempts(1).attemptDeadline(Duration.ofMillis(100)))
                    .expandVolume(EXPAND));
    assertThat(failure.code()).isEqualTo(StatusCode.DEADLINE_EXCEEDED);
    assertThat(failure.outcome()).isEqualTo(Outcome.SETTLED);
    assertThat(scripted.calls(CsiOperation.CONTROLLER_GET_CAPABILITIES).get(0).timeout())
        .isLessThanOrEqualTo(Duration.ofMillis(100));
  }

  @Test
  void joiningAQuestionThatHangsDoesNotOutlastOnesOwnDeadline() {
    hang(CsiOperation.CONTROLLER_GET_CAPABILITIES);
    CsiPlugin plugin = connect();
    CompletableFuture<?> patient =
        plugin.controller().async().expandVolume(EXPAND).toCompletableFuture();
    arrived(CsiOperation.CONTROLLER_GET_CAPABILITIES, 1);
    CsiTransientException failure =
        catchThrowableOfType(
            CsiTransientException.class,
            () ->
                plugin
                    .controller()
                    .with(policy -> policy.attempts(1).attemptDeadline(Duration.ofMillis(100)))
                    .expandVolume(EXPAND));
    assertThat(failure.code()).isEqualTo(StatusCode.DEADLINE_EXCEEDED);
    assertThat(failure.outcome()).isEqualTo(Outcome.SETTLED);
    assertThat(failure.attempts()).isZero();
    assertThat(patient).isNotDone();
    assertThat(asked(CsiOperation.CONTROLLER_GET_CAPABILITIES)).isEqualTo(1);
  }

  @Test
  void noSecretGoesToAnotherPluginThatHasTakenThePlace() {
    CsiPlugin plugin = connect();
    plugin.controller().expandVolume(SECRET);
    scripted.answer(
        CsiOperation.GET_PLUGIN_INFO,
        GetPluginInfoResponse.newBuilder().setName("evil.example").setVendorVersion("1").build());
    scripted.kill();
    scripted.start();
    scripted.forget();
    for (int i = 0; i < 3; i++) {
      CsiConnectException failure = null;
      while (failure == null) {
        // The first call may still go to the connection that is just being lost.
        try {
          plugin.controller().expandVolume(SECRET);
        } catch (CsiConnectException wrong) {
          failure = wrong;
        }
      }
      assertThat(failure.reason()).isEqualTo(Reason.WRONG_PLUGIN);
      // The first may have been sent once to the one that was killed.
      assertThat(failure.attempts()).isLessThanOrEqualTo(i == 0 ? 1 : 0);
      assertThat(failure.getMessage())
          .contains(
              "the plugin 'evil.example' now listens where"
                  + " 'scripted.csi4j.example' listened before");
    }
    assertThat(scripted.calls())
        .extracting(ScriptedPlugin.Call::operation)
        .containsOnly(CsiOperation.GET_PLUGIN_INFO);
  }

  @Test
  void noSecretGoesToAPluginThatTookThePlaceWhileTheFirstWasBeingAsked() {
    HeldExecutor held = new HeldExecutor();
    CsiPlugin plugin = connect(options -> options.callbackExecutor(held));
    held.hold();
    CompletableFuture<?> call =
        plugin.controller().async().expandVolume(SECRET).toCompletableFuture();
    arrived(CsiOperation.GET_PLUGIN_CAPABILITIES, 1);
    eventually(held::isHolding);
    answerAsAnotherPlugin();
    scripted.kill();
    scripted.start();
    held.release();
    CompletionException failure = catchThrowableOfType(CompletionException.class, call::join);
    assertThat(failure.getCause())
        .isInstanceOfSatisfying(
            CsiConnectException.class,
            wrong -> assertThat(wrong.reason()).isEqualTo(Reason.WRONG_PLUGIN));
    assertThat(asked(CsiOperation.CONTROLLER_EXPAND_VOLUME)).isZero();
  }

  @Test
  void noSecretGoesToAPluginThatTookThePlaceWhenTheFirstHadToldItsName() {
    HeldExecutor held = new HeldExecutor();
    CsiPlugin plugin = connect(options -> options.callbackExecutor(held));
    restart(plugin);
    eventually(
        () -> {
          try {
            return plugin.identity().probe().isReady();
          } catch (CsiTransientException notYet) {
            return false;
          }
        });
    scripted.forget();
    held.hold();
    CompletableFuture<?> call =
        plugin
            .node()
            .async()
            .publishVolume(
                NodePublishVolumeRequest.builder(
                        VolumeId.of("vol-1"),
                        PluginPath.of("/t"),
                        VolumeCapability.mount(AccessMode.SINGLE_NODE_WRITER))
                    .stagingTargetPath(PluginPath.of("/s"))
                    .secrets(SECRET.secrets())
                    .build())
            .toCompletableFuture();
    arrived(CsiOperation.GET_PLUGIN_INFO, 1);
    eventually(held::isHolding);
    long changes = plugin.connectionChanges();
    answerAsAnotherPlugin();
    scripted.kill();
    eventually(() -> plugin.connectionChanges() > changes);
    scripted.start();
    held.release();
    CompletionException failure = catchThrowableOfType(CompletionException.class, call::join);
    assertThat(failure.getCause())
        .isInstanceOfSatisfying(
            CsiConnectException.class,
            wrong -> assertThat(wrong.reason()).isEqualTo(Reason.WRONG_PLUGIN));
    assertThat(asked(CsiOperation.NODE_PUBLISH_VOLUME)).isZero();
  }

  @ParameterizedTest
  @EnumSource(names = {"CONTROLLER_EXPAND_VOLUME", "GET_METADATA_ALLOCATED"})
  void noSecretGoesToAPluginThatTookThePlaceWhileAListenerWasTold(CsiOperation operation) {
    CsiPlugin plugin = restartedAtTheStartOf(operation, this::answerAsAnotherPlugin);
    CsiConnectException failure =
        catchThrowableOfType(CsiConnectException.class, () -> callOnce(plugin, operation));
    assertThat(failure.reason()).isEqualTo(Reason.WRONG_PLUGIN);
    assertThat(failure.outcome()).isEqualTo(Outcome.SETTLED);
    assertThat(asked(operation)).isZero();
  }

  @ParameterizedTest
  @EnumSource(names = {"CONTROLLER_EXPAND_VOLUME", "GET_METADATA_ALLOCATED"})
  void aCallGoesToThePluginThatWasRestartedWhileAListenerWasTold(CsiOperation operation) {
    CsiPlugin plugin = restartedAtTheStartOf(operation, () -> {});
    scripted.forget();
    callOnce(plugin, operation);
    assertThat(scripted.calls())
        .extracting(ScriptedPlugin.Call::operation)
        .endsWith(operation)
        .contains(CsiOperation.GET_PLUGIN_INFO);
    assertThat(asked(operation)).isEqualTo(1);
  }

  /** Makes a call with a secret, which is tried once. */
  private static void callOnce(CsiPlugin plugin, CsiOperation operation) {
    if (operation == CsiOperation.CONTROLLER_EXPAND_VOLUME) {
      plugin.controller().with(policy -> policy.attempts(1)).expandVolume(SECRET);
    } else {
      plugin
          .snapshotMetadata()
          .with(policy -> policy.attempts(1))
          .getMetadataAllocated(
              GetMetadataAllocatedRequest.builder(SnapshotId.of("snap-1"))
                  .secrets(SECRET.secrets())
                  .build())
          .forEachRemaining(batch -> {});
    }
  }

  /** Connects; the listener of the first such call returns when the plugin was started again. */
  private CsiPlugin restartedAtTheStartOf(CsiOperation operation, Runnable before) {
    AtomicReference<CsiPlugin> connected = new AtomicReference<>();
    AtomicBoolean restarted = new AtomicBoolean();
    CsiListener slow =
        new CsiListener() {
          @Override
          public void onStart(Started event) {
            if (event.operation() == operation && !restarted.getAndSet(true)) {
              long changes = connected.get().connectionChanges();
              before.run();
              scripted.kill();
              scripted.start();
              eventually(() -> connected.get().connectionChanges() > changes);
            }
          }
        };
    CsiPlugin plugin = connect(options -> options.listener(slow));
    connected.set(plugin);
    return plugin;
  }

  @Test
  void aPluginThatToldItsNameLateIsHeldToItToo() {
    scripted.fail(CsiOperation.GET_PLUGIN_INFO, StatusCode.UNAVAILABLE, "no version");
    CsiPlugin plugin = connect();
    assertThat(plugin.name()).isEmpty();
    scripted.answer(
        CsiOperation.GET_PLUGIN_INFO,
        ScriptedPlugin.defaultAnswer(
            CsiOperation.GET_PLUGIN_INFO, GetPluginInfoRequest.getDefaultInstance()));
    plugin.controller().expandVolume(SECRET);
    assertThat(plugin.name()).contains(PluginName.of("scripted.csi4j.example"));
    answerAsAnotherPlugin();
    restart(plugin);
    scripted.forget();
    CsiConnectException failure =
        catchThrowableOfType(
            CsiConnectException.class, () -> plugin.controller().expandVolume(SECRET));
    assertThat(failure.reason()).isEqualTo(Reason.WRONG_PLUGIN);
    assertThat(asked(CsiOperation.CONTROLLER_EXPAND_VOLUME)).isZero();
  }

  private void answerAsAnotherPlugin() {
    scripted.answer(
        CsiOperation.GET_PLUGIN_INFO,
        GetPluginInfoResponse.newBuilder().setName("evil.example").setVendorVersion("1").build());
  }

  /** Keeps what it is given while it is told to. */
  private static final class HeldExecutor implements Executor {
    private final Queue<Runnable> kept = new ConcurrentLinkedQueue<>();
    private volatile boolean holding;

    void hold() {
      holding = true;
    }

    boolean isHolding() {
      return !kept.isEmpty();
    }

    void release() {
      holding = false;
      for (Runnable task = kept.poll(); task != null; task = kept.poll()) {
        execute(task);
      }
    }

    @Override
    public void execute(Runnable task) {
      if (holding) {
        kept.add(task);
      } else {
        CompletableFuture.runAsync(task);
      }
    }
  }

  @Test
  void whatIsAskedDependsOnTheCall() {
    CsiPlugin plugin = connect();
    scripted.forget();
    plugin.node().unpublishVolume(UNPUBLISH);
    assertThat(scripted.calls())
        .extracting(ScriptedPlugin.Call::operation)
        .containsExactly(CsiOperation.NODE_UNPUBLISH_VOLUME);
  }
}
