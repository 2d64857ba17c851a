package io.csi4j.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.google.protobuf.Message;
import io.csi4j.client.internal.proto.ControllerExpandVolumeResponse;
import io.csi4j.client.internal.proto.ControllerGetVolumeHealthRequest;
import io.csi4j.client.internal.proto.ControllerGetVolumeHealthResponse;
import io.csi4j.client.internal.proto.ControllerGetVolumeResponse;
import io.csi4j.client.internal.proto.ControllerListVolumeHealthResponse;
import io.csi4j.client.internal.proto.ControllerPublishVolumeResponse;
import io.csi4j.client.internal.proto.CreateSnapshotResponse;
import io.csi4j.client.internal.proto.CreateVolumeGroupSnapshotResponse;
import io.csi4j.client.internal.proto.CreateVolumeResponse;
import io.csi4j.client.internal.proto.GetPluginInfoResponse;
import io.csi4j.client.internal.proto.GetSnapshotResponse;
import io.csi4j.client.internal.proto.GetVolumeGroupSnapshotResponse;
import io.csi4j.client.internal.proto.ListSnapshotsResponse;
import io.csi4j.client.internal.proto.ListVolumesResponse;
import io.csi4j.client.internal.proto.NodeGetInfoResponse;
import io.csi4j.client.internal.proto.NodeGetStorageHealthResponse;
import io.csi4j.client.internal.proto.NodeGetVolumeHealthRequest;
import io.csi4j.client.internal.proto.NodeGetVolumeHealthResponse;
import io.csi4j.client.internal.proto.NodeGetVolumeStatsResponse;
import io.csi4j.client.internal.proto.StorageHealthErrorType;
import io.csi4j.client.internal.proto.Topology;
import io.csi4j.client.internal.proto.ValidateVolumeCapabilitiesRequest;
import io.csi4j.client.internal.proto.ValidateVolumeCapabilitiesResponse;
import io.csi4j.client.internal.proto.VolumeCapability.MountVolume;
import io.csi4j.client.internal.proto.VolumeCondition;
import io.csi4j.client.internal.proto.VolumeHealth;
import io.csi4j.client.internal.proto.VolumeHealthErrorType;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CallPolicy;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.CsiListener;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.CsiRequestException;
import io.csi4j.client.model.MountFlags;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.Violation;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import io.csi4j.client.scripted.Disguise;
import io.csi4j.client.scripted.Samples;
import io.csi4j.client.scripted.ScriptedPlugin;
import io.csi4j.client.scripted.Watch;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random secrets go through every call, the plugin says them back in every way it can, and nobody
 * sees one of them: not in a log, an event, an exception, a value that is printed.
 */
class CanaryTest {

  private static final List<Disguise> FORMS = List.of(Disguise.values());

  private static final int ROUNDS = 12;

  @TempDir Path directory;
  private final Random random = new Random(20);
  private final Samples samples = new Samples(20);
  private final Watch watch = new Watch();
  private ScriptedPlugin scripted;
  private CsiPlugin plugin;

  /** What the plugin was told in confidence last, and so may say back. */
  private List<String> confided = List.of("nothing was confided yet");

  private final List<Disguise> planted = new ArrayList<>();

  @BeforeEach
  void connect() {
    scripted = ScriptedPlugin.start(directory.resolve("csi.sock"));
    plugin = CsiPlugin.connect(scripted.endpoint(), options().build());
    for (CsiOperation operation : CsiOperation.values()) {
      call(operation, request(operation));
    }
    scripted.forget();
  }

  @AfterEach
  void close() {
    plugin.close();
    scripted.close();
    watch.close();
  }

  private ConnectOptions.Builder options() {
    ConnectOptions.Builder options =
        ConnectOptions.builder()
            .policies(policy -> policy.backoff(Duration.ZERO).pendingBackoff(Duration.ZERO))
            .listener(watch.listener());
    for (CsiOperation operation : CsiOperation.values()) {
      int attempts = Math.min(2, CallPolicy.defaultFor(operation).attempts());
      options.policy(operation, policy -> policy.attempts(attempts));
    }
    return options;
  }

  // ---- what is seen

  @Test
  void usableAnswersGiveNothingAway() {
    answersGiveNothingAway(1);
  }

  @Tag("campaign")
  @Test
  void manyUsableAnswersGiveNothingAway() {
    answersGiveNothingAway(ROUNDS);
  }

  private void answersGiveNothingAway(int rounds) {
    for (int round = 0; round < rounds; round++) {
      for (CsiOperation operation : CsiOperation.values()) {
        scripted.on(operation, (call, reply) -> reply.ok(answer(operation, call.request())));
        call(operation, request(operation));
      }
    }
    nothingIsSeen(14 * rounds);
  }

  @Tag("campaign")
  @Test
  void failuresGiveNothingAway() {
    for (CsiOperation operation : CsiOperation.values()) {
      for (StatusCode code : StatusCode.values()) {
        if (code == StatusCode.OK) {
          continue;
        }
        Object request = request(operation);
        scripted.on(operation, (call, reply) -> reply.fail(code, echo()));
        call(operation, request);
        scripted.on(operation, (call, reply) -> reply.ok(defaultAnswer(call)));
      }
    }
    nothingIsSeen(2 * 36 * 16);
  }

  @Tag("campaign")
  @Test
  void unusableAnswersGiveNothingAway() {
    for (int round = 0; round < ROUNDS; round++) {
      for (CsiOperation operation : CsiOperation.values()) {
        scripted.on(operation, (call, reply) -> reply.ok(unusable(operation, call.request())));
        call(operation, request(operation));
        scripted.on(operation, (call, reply) -> reply.ok(defaultAnswer(call)));
      }
    }
    nothingIsSeen(8 * ROUNDS);
  }

  @Test
  void refusedRequestsGiveNothingAway() {
    String secret = samples.secret();
    List<Secrets> bad =
        List.of(
            Secrets.of(Map.of("a/b", secret)),
            Secrets.of(Map.of("key", secret.repeat(70_000 / secret.length()))),
            Secrets.of(Map.of("key", secret.repeat(5_000 / secret.length()))),
            Secrets.of(Map.of("key", samples.secret() + '\0' + samples.secret())),
            Secrets.of(Map.of("key", samples.secret() + '\ud800' + samples.secret())));
    int refused = 0;
    try (CsiPlugin strict =
        CsiPlugin.connect(scripted.endpoint(), options().strictSizes(true).build())) {
      for (CsiOperation operation : CsiOperation.values()) {
        Optional<Class<?>> type = Samples.requestType(operation);
        if (type.isEmpty()) {
          continue;
        }
        for (Method setter : Samples.setters(type.get())) {
          Class<?> parameter = setter.getParameterTypes()[0];
          List<?> values =
              parameter == Secrets.class
                  ? bad
                  : parameter == VolumeCapability.class ? List.of(badFlags(secret)) : List.of();
          for (Object value : values) {
            Object builder = samples.builder(type.get());
            set(builder, setter, value);
            Object request = Samples.build(builder);
            for (CsiPlugin each : List.of(plugin, strict)) {
              Throwable thrown = catchThrowable(() -> Samples.call(each, operation, request));
              if (thrown instanceof CsiRequestException) {
                refused++;
              }
              look(operation, builder, request, thrown);
            }
          }
        }
      }
    }
    watch.thrown(
        "null", catchThrowable(() -> Secrets.of(java.util.Collections.singletonMap("k", null))));
    assertThat(refused).isGreaterThan(100);
    nothingIsSeen(0);
  }

  @Tag("campaign")
  @Test
  void lostConnectionsGiveNothingAway() {
    for (CsiOperation operation : CsiOperation.values()) {
      scripted.kill();
      call(operation, request(operation));
      scripted.start();
      for (CsiOperation each : CsiOperation.values()) {
        if (each.rpcName().contains("GetCapabilities") || each.rpcName().contains("Plugin")) {
          scripted.on(each, (call, reply) -> reply.fail(StatusCode.INTERNAL, echo()));
        }
      }
      call(operation, request(operation));
      for (CsiOperation each : CsiOperation.values()) {
        scripted.on(each, (call, reply) -> reply.ok(defaultAnswer(call)));
      }
      call(operation, request(operation));
    }
    nothingIsSeen(36);
  }

  @Test
  void callsThatTheHostEndsGiveNothingAway() throws InterruptedException {
    List<CsiOperation> left = List.of(CsiOperation.values());
    CountDownLatch begun = new CountDownLatch(left.size());
    CountDownLatch ended = new CountDownLatch(left.size());
    for (CsiOperation operation : left) {
      Object request = request(operation);
      scripted.on(operation, (call, reply) -> begun.countDown());
      Thread caller =
          new Thread(
              () -> {
                look(
                    operation, catchThrowable(() -> Samples.callAsync(plugin, operation, request)));
                ended.countDown();
              });
      caller.setDaemon(true);
      caller.start();
    }
    assertThat(begun.await(10, TimeUnit.SECONDS)).isTrue();
    plugin.close();
    assertThat(ended.await(10, TimeUnit.SECONDS)).isTrue();
    nothingIsSeen(0);
  }

  @Tag("campaign")
  @Test
  void laterCallsGiveNothingAwayOfWhatEarlierOnesConfided() {
    for (int i = 0; i < ROUNDS; i++) {
      call(CsiOperation.NODE_STAGE_VOLUME, request(CsiOperation.NODE_STAGE_VOLUME));
      for (CsiOperation later :
          List.of(
              CsiOperation.NODE_UNSTAGE_VOLUME,
              CsiOperation.NODE_GET_INFO,
              CsiOperation.PROBE,
              CsiOperation.GET_CAPACITY)) {
        scripted.fail(later, StatusCode.INTERNAL, echo());
        call(later, new Samples(i).request(later, false));
      }
    }
    nothingIsSeen(4 * ROUNDS);
  }

  @Test
  void connectFailuresAndWhatPrintsAConnectionGiveNothingAway() {
    scripted.fail(CsiOperation.PROBE, StatusCode.INTERNAL, "not well");
    ConnectOptions options = options().deadline(Duration.ofMillis(200)).build();
    for (Path path : List.of(directory, directory.resolve("none"), scripted.socket())) {
      watch.thrown(
          "connect", catchThrowable(() -> CsiPlugin.connect(CsiEndpoint.of(path), options)));
    }
    watch.value("options", options);
    watch.value("plugin", plugin.toString() + plugin.endpoint() + plugin.name() + plugin.peer());
    for (CsiOperation operation : CsiOperation.values()) {
      watch.value("face", Samples.face(plugin, operation).toString());
    }
    nothingIsSeen(0);
  }

  // ---- whether anything would be seen

  @Test
  void everyDisguiseWouldBeSeen() {
    try (Watch probed = new Watch()) {
      for (Disguise disguise : FORMS) {
        String secret = samples.secret();
        Logger logger = Logger.getLogger("io.csi4j.client.leak." + disguise);
        logger.log(Level.FINEST, "see {0}", "<a \"" + disguise.of(secret) + '"');
        assertThat(probed.sightings().of(List.of(secret)))
            .contains("logger " + logger.getName() + ", as " + disguise + ", secret 0")
            .noneMatch(line -> line.contains(secret));
      }
    }
  }

  @Test
  void everyPlaceWouldBeSeen() {
    String secret = samples.secret();
    Watch probed = new Watch();
    try (probed) {
      Logger.getLogger("io.grpc.leak").log(Level.FINEST, "see", new Exception(secret));
      System.out.println(secret);
      Exception suppressed = new Exception("outer");
      suppressed.addSuppressed(new Exception("inner", new Exception(secret)));
      probed.thrown("exception", suppressed);
      probed.value("volume", VolumeId.of(secret));
      probed
          .listener()
          .onWarning(
              new CsiListener.Warning(
                  CsiOperation.PROBE,
                  Optional.empty(),
                  plugin.endpoint(),
                  new Violation("field", Violation.Rule.CHARACTERS, secret)));
      probed.value("context", VolumeContext.of(Map.of("key", secret)));
    }
    assertThat(probed.sightings().of(List.of(secret)))
        .contains(
            "logger io.grpc.leak with exception, as PLAIN, secret 0",
            "standard output, as PLAIN, secret 0",
            "exception: stack trace, as PLAIN, secret 0",
            "exception: serial form, as PLAIN, secret 0",
            "volume: value, as PLAIN, secret 0",
            "listener warning: value, as PLAIN, secret 0",
            "flight recorder, as PLAIN, secret 0")
        .noneMatch(line -> line.startsWith("context"));
  }

  private void nothingIsSeen(int leastPlanted) {
    plugin.close();
    watch.close();
    assertThat(planted).hasSizeGreaterThanOrEqualTo(leastPlanted);
    if (planted.size() > 10 * FORMS.size()) {
      assertThat(planted).containsAll(FORMS);
    }
    assertThat(watch.sightings().lines())
        .anyMatch(line -> line.startsWith("NodeStageVolume #") && line.contains("<redacted>"))
        .anyMatch(line -> line.startsWith("io.csi4j.CsiCall "));
    assertThat(watch.sightings().of(samples.sensitive())).isEmpty();
  }

  // ---- calling

  /** Makes the call on both faces, and looks at all that comes of it. */
  private void call(CsiOperation operation, @Nullable Object request) {
    Object[] result = new Object[2];
    Throwable blocking = catchThrowable(() -> result[0] = Samples.call(plugin, operation, request));
    Throwable async =
        catchThrowable(() -> result[1] = Samples.callAsync(plugin, operation, request));
    look(operation, request, result[0], result[1], blocking, async);
  }

  private void look(CsiOperation operation, @Nullable Object... seen) {
    for (Object each : seen) {
      if (each instanceof Throwable thrown) {
        assertThat(thrown).isInstanceOf(CsiException.class);
        watch.thrown(operation.rpcName(), thrown);
      } else if (each != null && each.getClass().getName().endsWith("$Builder")) {
        watch.value(operation.rpcName() + " builder", each.toString());
      } else {
        watch.value(operation.rpcName(), each);
      }
    }
  }

  private @Nullable Object request(CsiOperation operation) {
    int before = samples.sensitive().size();
    Object request = samples.secretsOfLength(32 + random.nextInt(32)).request(operation, true);
    List<String> all = samples.sensitive();
    if (all.size() > before) {
      confided = all.subList(before, all.size());
    }
    return request;
  }

  private static void set(Object builder, Method setter, Object value) {
    try {
      setter.invoke(builder, value);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(setter.toString(), e);
    }
  }

  private static VolumeCapability badFlags(String secret) {
    return VolumeCapability.mount(
        AccessMode.SINGLE_NODE_WRITER,
        MountOptions.none().withFlags(MountFlags.of(secret + '\0' + secret, '\ud800' + secret)));
  }

  // ---- what the plugin says

  private static Message defaultAnswer(ScriptedPlugin.Call call) {
    return ScriptedPlugin.defaultAnswer(call.operation(), call.request());
  }

  /** A text that repeats a secret, each time in the next way. */
  private synchronized String echo() {
    Disguise form = FORMS.get(random.nextInt(FORMS.size()));
    String secret = raw();
    planted.add(form);
    String before = "mount failed: exit status 32: option ";
    return switch (planted.size() % 3) {
      case 0 -> before + form.of(secret);
      case 1 -> before + '"' + form.of(secret) + (form == Disguise.CUT ? "..." : "\" near it");
      default -> before + "key=" + form.of(secret) + (form == Disguise.CUT ? "" : ",x y");
    };
  }

  private String raw() {
    return confided.get(random.nextInt(confided.size()));
  }

  private VolumeCondition.Builder condition() {
    return VolumeCondition.newBuilder().setAbnormal(true).setMessage(echo());
  }

  /** A usable answer with secrets in whatever it has of free text, and with contexts. */
  private Message answer(CsiOperation operation, Message asked) {
    Message usual = ScriptedPlugin.defaultAnswer(operation, asked);
    return switch (operation) {
      case GET_PLUGIN_INFO ->
          ((GetPluginInfoResponse) usual)
              .toBuilder()
                  .setVendorVersion(echo())
                  .putManifest("build", echo())
                  .putManifest(echo(), "key")
                  .build();
      case CREATE_VOLUME -> {
        CreateVolumeResponse.Builder answer = ((CreateVolumeResponse) usual).toBuilder();
        answer.getVolumeBuilder().putVolumeContext("a", raw()).putVolumeContext("b", fresh());
        yield answer.build();
      }
      case CONTROLLER_PUBLISH_VOLUME ->
          ControllerPublishVolumeResponse.newBuilder()
              .putPublishContext("a", raw())
              .putPublishContext("b", fresh())
              .build();
      case VALIDATE_VOLUME_CAPABILITIES -> {
        ValidateVolumeCapabilitiesRequest request = (ValidateVolumeCapabilitiesRequest) asked;
        ValidateVolumeCapabilitiesResponse.Builder answer =
            ValidateVolumeCapabilitiesResponse.newBuilder().setMessage(echo());
        int kind = random.nextInt(3);
        if (kind > 0) {
          answer
              .getConfirmedBuilder()
              .addAllVolumeCapabilities(request.getVolumeCapabilitiesList())
              .putAllParameters(request.getParametersMap())
              .putAllMutableParams(request.getMutableParamsMap())
              .putAllVolumeContext(request.getVolumeContextMap());
        }
        if (kind > 1) {
          answer.getConfirmedBuilder().putVolumeContext("key", raw());
          answer
              .getConfirmedBuilder()
              .getVolumeCapabilitiesBuilder(1)
              .setMount(MountVolume.newBuilder().addMountFlags(fresh()));
        }
        yield answer.build();
      }
      case LIST_VOLUMES -> {
        ListVolumesResponse.Builder answer = ListVolumesResponse.newBuilder();
        var entry = answer.addEntriesBuilder();
        entry.getVolumeBuilder().setVolumeId("vol").putVolumeContext("a", fresh());
        entry.getStatusBuilder().setVolumeCondition(condition());
        yield answer.build();
      }
      case CONTROLLER_GET_VOLUME -> {
        ControllerGetVolumeResponse.Builder answer =
            ((ControllerGetVolumeResponse) usual).toBuilder();
        answer.getVolumeBuilder().putVolumeContext("a", fresh());
        answer.getStatusBuilder().setVolumeCondition(condition());
        yield answer.build();
      }
      case NODE_GET_VOLUME_STATS ->
          NodeGetVolumeStatsResponse.newBuilder().setVolumeCondition(condition()).build();
      case CONTROLLER_LIST_VOLUME_HEALTH ->
          ControllerListVolumeHealthResponse.newBuilder().addEntries(health("vol")).build();
      case CONTROLLER_GET_VOLUME_HEALTH ->
          ControllerGetVolumeHealthResponse.newBuilder()
              .setVolumeHealth(health(((ControllerGetVolumeHealthRequest) asked).getVolumeId()))
              .build();
      case NODE_GET_VOLUME_HEALTH ->
          NodeGetVolumeHealthResponse.newBuilder()
              .setVolumeHealth(health(((NodeGetVolumeHealthRequest) asked).getVolumeId()))
              .build();
      case NODE_GET_STORAGE_HEALTH -> storageHealth();
      default -> usual;
    };
  }

  /** A volume with two faults, of which the second repeats the first. */
  private VolumeHealth health(String volumeId) {
    VolumeHealth.VolumeHealthEntry entry =
        VolumeHealth.VolumeHealthEntry.newBuilder()
            .setStatus(VolumeHealthErrorType.DEGRADED)
            .setReason(echo())
            .setMessage(echo())
            .build();
    return VolumeHealth.newBuilder()
        .setVolumeId(volumeId)
        .addHealthStatuses(entry)
        .addHealthStatuses(entry)
        .build();
  }

  private NodeGetStorageHealthResponse storageHealth() {
    NodeGetStorageHealthResponse.Builder answer = NodeGetStorageHealthResponse.newBuilder();
    answer
        .addBackendHealthBuilder()
        .setStatus(StorageHealthErrorType.STORAGE_UNREACHABLE)
        .setReason(echo())
        .setMessage(echo())
        .getVolumeCapabilityBuilder()
        .setMount(MountVolume.newBuilder().addMountFlags(fresh()));
    return answer.addBackendHealth(answer.getBackendHealth(0)).build();
  }

  private synchronized String fresh() {
    return samples.secret();
  }

  /** An answer that breaks the contract, with secrets wherever a complaint could show them. */
  private Message unusable(CsiOperation operation, Message asked) {
    Message usual = ScriptedPlugin.defaultAnswer(operation, asked);
    Map<String, String> large = Map.of("large", raw().repeat(70_000 / raw().length() + 2));
    Topology place =
        Topology.newBuilder().putSegments("zone", echo()).putSegments(echo(), "x").build();
    return switch (operation) {
      case GET_PLUGIN_INFO -> GetPluginInfoResponse.newBuilder().setName(echo()).build();
      case CREATE_VOLUME -> {
        CreateVolumeResponse.Builder answer = ((CreateVolumeResponse) usual).toBuilder();
        answer
            .getVolumeBuilder()
            .putAllVolumeContext(large)
            .addAccessibleTopology(place)
            .getContentSourceBuilder()
            .getSnapshotBuilder()
            .setSnapshotId(echo());
        yield answer.build();
      }
      case CONTROLLER_PUBLISH_VOLUME ->
          ControllerPublishVolumeResponse.newBuilder().putAllPublishContext(large).build();
      case VALIDATE_VOLUME_CAPABILITIES -> {
        ValidateVolumeCapabilitiesResponse.Builder answer =
            ValidateVolumeCapabilitiesResponse.newBuilder().setMessage(echo());
        answer
            .getConfirmedBuilder()
            .putAllVolumeContext(large)
            .addVolumeCapabilitiesBuilder()
            .getMountBuilder()
            .setFsType(echo())
            .setVolumeMountGroup(echo())
            .addMountFlags(raw());
        yield answer.build();
      }
      case LIST_VOLUMES -> {
        ListVolumesResponse.Builder answer = ListVolumesResponse.newBuilder();
        var entry = answer.addEntriesBuilder();
        entry.getVolumeBuilder().putAllVolumeContext(large).addAccessibleTopology(place);
        entry.getStatusBuilder().setVolumeCondition(condition());
        yield answer.build();
      }
      case CONTROLLER_GET_VOLUME -> {
        ControllerGetVolumeResponse.Builder answer = ControllerGetVolumeResponse.newBuilder();
        answer.getVolumeBuilder().setVolumeId(echo()).addAccessibleTopology(place);
        answer.getStatusBuilder().setVolumeCondition(condition());
        yield answer.build();
      }
      case CREATE_SNAPSHOT -> {
        CreateSnapshotResponse.Builder answer = ((CreateSnapshotResponse) usual).toBuilder();
        answer.getSnapshotBuilder().setSourceVolumeId(echo());
        yield answer.build();
      }
      case GET_SNAPSHOT -> {
        GetSnapshotResponse.Builder answer = ((GetSnapshotResponse) usual).toBuilder();
        answer.getSnapshotBuilder().setSnapshotId(echo()).setGroupSnapshotId(echo());
        yield answer.build();
      }
      case LIST_SNAPSHOTS -> {
        ListSnapshotsResponse.Builder answer = ListSnapshotsResponse.newBuilder();
        answer.addEntriesBuilder().getSnapshotBuilder().setSourceVolumeId(echo());
        yield answer.build();
      }
      case CREATE_VOLUME_GROUP_SNAPSHOT -> {
        CreateVolumeGroupSnapshotResponse.Builder answer =
            ((CreateVolumeGroupSnapshotResponse) usual).toBuilder();
        answer
            .getGroupSnapshotBuilder()
            .getSnapshotsBuilder(0)
            .setSourceVolumeId(echo())
            .setGroupSnapshotId(echo());
        yield answer.build();
      }
      case GET_VOLUME_GROUP_SNAPSHOT -> {
        GetVolumeGroupSnapshotResponse.Builder answer =
            ((GetVolumeGroupSnapshotResponse) usual).toBuilder();
        answer
            .getGroupSnapshotBuilder()
            .setGroupSnapshotId(echo())
            .addSnapshotsBuilder()
            .setSnapshotId(echo())
            .setSourceVolumeId(echo());
        yield answer.build();
      }
      case CONTROLLER_EXPAND_VOLUME ->
          ControllerExpandVolumeResponse.newBuilder().setCapacityBytes(-1).build();
      case NODE_GET_INFO -> NodeGetInfoResponse.newBuilder().setAccessibleTopology(place).build();
      case NODE_GET_VOLUME_STATS -> {
        NodeGetVolumeStatsResponse.Builder answer =
            NodeGetVolumeStatsResponse.newBuilder().setVolumeCondition(condition());
        answer.addUsageBuilder().setTotal(-1).setUsed(-2);
        yield answer.build();
      }
      case CONTROLLER_LIST_VOLUME_HEALTH ->
          ControllerListVolumeHealthResponse.newBuilder().addEntries(health("")).build();
      case CONTROLLER_GET_VOLUME_HEALTH ->
          ControllerGetVolumeHealthResponse.newBuilder().setVolumeHealth(health(echo())).build();
      case NODE_GET_VOLUME_HEALTH ->
          NodeGetVolumeHealthResponse.newBuilder().setVolumeHealth(health(echo())).build();
      case NODE_GET_STORAGE_HEALTH -> storageHealth();
      default -> usual;
    };
  }
}
