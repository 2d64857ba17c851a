package io.csi4j.conformance.internal.plugin;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.MessageOrBuilder;
import io.csi4j.client.internal.proto.ControllerGetCapabilitiesRequest;
import io.csi4j.client.internal.proto.ControllerGetCapabilitiesResponse;
import io.csi4j.client.internal.proto.ControllerPublishVolumeResponse;
import io.csi4j.client.internal.proto.ControllerServiceCapability;
import io.csi4j.client.internal.proto.CreateSnapshotResponse;
import io.csi4j.client.internal.proto.CreateVolumeGroupSnapshotResponse;
import io.csi4j.client.internal.proto.CreateVolumeResponse;
import io.csi4j.client.internal.proto.GetPluginCapabilitiesRequest;
import io.csi4j.client.internal.proto.GetPluginCapabilitiesResponse;
import io.csi4j.client.internal.proto.GroupControllerGetCapabilitiesRequest;
import io.csi4j.client.internal.proto.GroupControllerGetCapabilitiesResponse;
import io.csi4j.client.internal.proto.NodeGetCapabilitiesRequest;
import io.csi4j.client.internal.proto.NodeGetCapabilitiesResponse;
import io.csi4j.client.internal.proto.NodeGetInfoRequest;
import io.csi4j.client.internal.proto.NodeGetInfoResponse;
import io.csi4j.client.internal.proto.NodePublishVolumeRequest;
import io.csi4j.client.internal.proto.PluginCapability;
import io.csi4j.client.internal.proto.ProbeRequest;
import io.csi4j.client.internal.proto.ProbeResponse;
import io.csi4j.client.internal.proto.Snapshot;
import io.csi4j.client.internal.proto.Volume;
import io.csi4j.client.internal.proto.VolumeCapability;
import io.csi4j.client.internal.proto.VolumeGroupSnapshot;
import io.csi4j.client.internal.redaction.RedactedText;
import io.csi4j.client.internal.text.FieldLimits;
import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.CsiService;
import io.csi4j.client.model.StatusCode;
import io.csi4j.conformance.model.PluginUnderTest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** One case while it runs: its calls, what they made, and what was noticed. For one thread. */
final class Trial {

  private static final int MANY_PAGES = 10_000;

  private static final Set<CsiOperation> DELETIONS =
      Set.of(
          CsiOperation.DELETE_VOLUME,
          CsiOperation.DELETE_SNAPSHOT,
          CsiOperation.DELETE_VOLUME_GROUP_SNAPSHOT);

  private final SuiteRun run;
  private final TrialLeftovers leftovers;
  private final TrialPaths paths;
  private final UnaryOperator<String> scrubber;
  private final List<ToldCall> calls = new ArrayList<>();
  private final List<String> advice = new ArrayList<>();
  private final int number;
  private int names;
  private StatusCode last = StatusCode.OK;
  private boolean preparing;
  private @Nullable Offers offers;

  /**
   * The offers of a plugin.
   *
   * @param types of all its capabilities that are served on the sockets of the run, and how it says
   *     that volumes grow
   * @param unserved services that it declares, and does not serve on these sockets
   * @param node whether a node service is served
   * @param info of its node, if it tells
   */
  record Offers(Set<Enum<?>> types, Set<Enum<?>> unserved, boolean node, NodeGetInfoResponse info) {
    boolean has(Enum<?> type) {
      return types.contains(type);
    }
  }

  /**
   * A call of the case.
   *
   * @param setUp whether it was made before what the case is about
   */
  private record ToldCall(boolean setUp, Message request, boolean ok, String line) {

    CsiOperation operation() {
      return RawPlugin.operation(request);
    }

    /** Returns the ids and names in the request. */
    Set<String> things() {
      Set<String> found = new HashSet<>();
      collect(request, found);
      return found;
    }

    private static void collect(Message message, Set<String> found) {
      message
          .getAllFields()
          .forEach(
              (field, value) -> {
                String name = field.getName();
                if (value instanceof Message part) {
                  collect(part, found);
                } else if (name.equals("name")
                    || (name.endsWith("_id") && !name.equals("node_id"))) {
                  found.add(String.valueOf(value));
                }
              });
    }
  }

  /** A step that makes something. */
  @FunctionalInterface
  interface Step<T> {
    T run() throws CaseEndedException;
  }

  Trial(SuiteRun run, int number) {
    this.run = run;
    this.number = number;
    this.paths = new TrialPaths(run.plugin(), run.directory(), run.mark() + "-" + number);
    this.scrubber = run.scrubber();
    this.leftovers = new TrialLeftovers(this);
  }

  PluginUnderTest plugin() {
    return run.plugin();
  }

  TrialPaths paths() {
    return paths;
  }

  /** A name that nothing had before. */
  String newName() {
    return "csi4j-" + run.mark() + "-" + number + "-" + ++names;
  }

  /** Returns the offers of the plugin; asked once in a trial. */
  Offers offers() throws CaseEndedException {
    Offers known = offers;
    if (known == null) {
      known = prepared(this::askOffers);
      offers = known;
    }
    return known;
  }

  private Offers askOffers() throws CaseEndedException {
    Set<Enum<?>> types = new HashSet<>();
    Set<Enum<?>> unserved = new HashSet<>();
    ok(GetPluginCapabilitiesRequest.getDefaultInstance(), GetPluginCapabilitiesResponse.class)
        .getCapabilitiesList()
        .forEach(
            each -> {
              if (each.hasService()) {
                types.add(each.getService().getType());
              } else if (each.hasVolumeExpansion()) {
                types.add(each.getVolumeExpansion().getType());
              }
            });
    if (isServed(
        PluginCapability.Service.Type.CONTROLLER_SERVICE,
        ControllerGetCapabilitiesRequest.getDefaultInstance(),
        types,
        unserved)) {
      ok(
              ControllerGetCapabilitiesRequest.getDefaultInstance(),
              ControllerGetCapabilitiesResponse.class)
          .getCapabilitiesList()
          .forEach(each -> types.add(each.getRpc().getType()));
    }
    if (isServed(
        PluginCapability.Service.Type.GROUP_CONTROLLER_SERVICE,
        GroupControllerGetCapabilitiesRequest.getDefaultInstance(),
        types,
        unserved)) {
      ok(
              GroupControllerGetCapabilitiesRequest.getDefaultInstance(),
              GroupControllerGetCapabilitiesResponse.class)
          .getCapabilitiesList()
          .forEach(each -> types.add(each.getRpc().getType()));
    }
    // Its calls all do work: it is taken to be where the controller is.
    if (unserved.contains(PluginCapability.Service.Type.CONTROLLER_SERVICE)
        && types.remove(PluginCapability.Service.Type.SNAPSHOT_METADATA_SERVICE)) {
      unserved.add(PluginCapability.Service.Type.SNAPSHOT_METADATA_SERVICE);
    }
    Message question = NodeGetCapabilitiesRequest.getDefaultInstance();
    Reply reply = call(question);
    if (reply.code() == StatusCode.UNIMPLEMENTED) {
      return new Offers(types, unserved, false, NodeGetInfoResponse.getDefaultInstance());
    }
    succeeded(question, reply, NodeGetCapabilitiesResponse.class)
        .getCapabilitiesList()
        .forEach(each -> types.add(each.getRpc().getType()));
    return new Offers(types, unserved, true, info(types));
  }

  /** The node's answer to who it is, which only a plugin that attaches has to give. */
  private NodeGetInfoResponse info(Set<Enum<?>> types) throws CaseEndedException {
    Message question = NodeGetInfoRequest.getDefaultInstance();
    Reply reply = call(question);
    return reply.code() == StatusCode.UNIMPLEMENTED
            && !types.contains(ControllerServiceCapability.RPC.Type.PUBLISH_UNPUBLISH_VOLUME)
        ? NodeGetInfoResponse.getDefaultInstance()
        : succeeded(question, reply, NodeGetInfoResponse.class);
  }

  /**
   * Whether a service that the plugin declares is served here. A plugin declares the same on all
   * its sockets, whatever they serve.
   */
  private boolean isServed(
      PluginCapability.Service.Type service,
      Message first,
      Set<Enum<?>> types,
      Set<Enum<?>> unserved)
      throws CaseEndedException {
    if (types.contains(service) && call(first).code() == StatusCode.UNIMPLEMENTED) {
      types.remove(service);
      unserved.add(service);
    }
    return types.contains(service);
  }

  // ---- calls

  /** The message of a request that may still be a builder. */
  static Message built(MessageOrBuilder request) {
    return request instanceof Message.Builder builder ? builder.build() : (Message) request;
  }

  /** Sends a request and waits for what becomes of it. */
  Reply call(MessageOrBuilder request) throws CaseEndedException {
    Message message = built(request);
    checkMayAsk(message);
    return judged(message, noted(message, begin(message)));
  }

  private void checkMayAsk(Message request) throws CaseEndedException {
    run.checkNotStopped();
    run.checkInBudget();
    run.presence().checkMayAsk(RawPlugin.operation(request));
  }

  /** Sends a request that undoes something, whatever became of the plugin. */
  Reply undo(Message request) {
    preparing = false;
    leftovers.begin(request);
    return noted(request, socket(request).call(request, plugin().deadline()));
  }

  private RawPlugin socket(Message request) {
    return RawPlugin.operation(request).service() == CsiService.NODE
        ? run.node()
        : run.controller();
  }

  private CompletableFuture<Reply> begin(Message request) {
    leftovers.begin(request);
    return socket(request).call(request, run.deadline());
  }

  private Reply noted(Message request, CompletableFuture<Reply> begun) {
    Reply reply = begun.join();
    last = reply.code();
    String line =
        rpcName(request)
            + " "
            + RedactedText.of(request, scrubber)
            + " -> "
            + shown(reply)
            + " in "
            + reply.took().toMillis()
            + " ms";
    calls.add(new ToldCall(preparing, request, reply.isOk(), line));
    leftovers.note(request, reply);
    return reply;
  }

  /** Ends the case if there was no answer, or none without secrets. */
  private Reply judged(Message request, Reply reply) throws CaseEndedException {
    return judged(request, reply, socket(request));
  }

  private Reply judged(Message request, Reply reply, RawPlugin socket) throws CaseEndedException {
    if (reply.code() == StatusCode.DEADLINE_EXCEEDED) {
      run.checkInBudget();
    }
    CsiOperation operation = RawPlugin.operation(request);
    run.presence().heard(operation, reply, socket);
    if (!preparing) {
      run.presence().checkServed(operation, reply);
    }
    if (reply.code() == StatusCode.UNAUTHENTICATED
        || reply.code() == StatusCode.PERMISSION_DENIED) {
      throw new CaseEndedException.NotRun(
          rpcName(request)
              + " ended with "
              + shown(reply)
              + ". Give the plugin the secrets that it asks for");
    }
    return reply;
  }

  private static String rpcName(Message request) {
    return RawPlugin.operation(request).rpcName();
  }

  /** Sends all requests before it waits for any answer. */
  List<Reply> together(Message... requests) throws CaseEndedException {
    for (Message each : requests) {
      checkMayAsk(each);
    }
    List<CompletableFuture<Reply>> begun = Arrays.stream(requests).map(this::begin).toList();
    List<Reply> replies = new ArrayList<>();
    for (int i = 0; i < requests.length; i++) {
      replies.add(noted(requests[i], begun.get(i)));
    }
    for (int i = 0; i < requests.length; i++) {
      judged(requests[i], replies.get(i));
    }
    return replies;
  }

  /** Calls on the socket of the node, for any service. */
  Reply callNode(Message request) throws CaseEndedException {
    return judged(request, noted(request, run.node().call(request, run.deadline())), run.node());
  }

  /** Waits until a plugin that was started again answers, on new connections to its sockets. */
  void awaitAnswer() throws CaseEndedException {
    awaitAnswer(run.controller());
    if (run.node() != run.controller()) {
      awaitAnswer(run.node());
    }
  }

  private void awaitAnswer(RawPlugin socket) throws CaseEndedException {
    Message probe = ProbeRequest.getDefaultInstance();
    Pause pause = new Pause(run.deadline());
    Reply reply;
    do {
      socket.reconnect();
      reply = noted(probe, socket.call(probe, run.deadline()));
    } while (reply.lost() && run.presence().mayAnswer(socket) && pause.again());
    run.presence().heard(CsiOperation.PROBE, reply, socket);
  }

  /**
   * Waits until the plugin is ready; returns why it is not, if it still says so at the deadline.
   */
  Optional<String> awaitReady() throws CaseEndedException {
    Message probe = ProbeRequest.getDefaultInstance();
    Pause pause = new Pause(run.deadline());
    Optional<String> unready;
    do {
      unready = unready(call(probe));
      if (unready.isEmpty() && Need.SEPARATE_SOCKETS.met(this)) {
        unready = unready(callNode(probe));
      }
    } while (unready.isPresent() && pause.again());
    return unready;
  }

  /** Returns why the plugin is not ready, if it has said so to Probe. */
  Optional<String> unready(Reply probed) throws CaseEndedException {
    if (probed.code() == StatusCode.FAILED_PRECONDITION) {
      return Optional.of("the plugin says that it is not well: " + shown(probed));
    }
    if (!probed.isOk()) {
      return Optional.empty();
    }
    ProbeResponse answer = answer(probed, ProbeResponse.class);
    return answer.hasReady() && !answer.getReady().getValue()
        ? Optional.of("the plugin says that it is not ready. Run the suite when it is")
        : Optional.empty();
  }

  /** Does a step before what the case is about: a refusal is not what the case judges. */
  <T> T prepared(Step<T> step) throws CaseEndedException {
    boolean outer = preparing;
    preparing = true;
    try {
      return step.run();
    } catch (CaseEndedException.Failed e) {
      if (e.inAnyStep()) {
        throw e;
      }
      throw new CaseEndedException.NotRun(
          "a step before what is tested was not done. Expected: "
              + e.expected()
              + "; got: "
              + e.text());
    } finally {
      preparing = outer;
    }
  }

  /** The answer to a call that has to succeed. */
  <A extends Message> A ok(MessageOrBuilder request, Class<A> answer) throws CaseEndedException {
    Message message = built(request);
    return succeeded(message, call(message), answer);
  }

  private <A extends Message> A succeeded(Message request, Reply reply, Class<A> answer)
      throws CaseEndedException {
    if (!reply.isOk()) {
      throw failed(rpcName(request) + " succeeds", shown(reply));
    }
    return answer(reply, answer);
  }

  /** Fails unless the call succeeds. */
  void ok(MessageOrBuilder request) throws CaseEndedException {
    ok(request, Message.class);
  }

  /** Fails unless the call succeeds, and once more. */
  void okTwice(MessageOrBuilder request) throws CaseEndedException {
    Message same = built(request);
    ok(same);
    ok(same);
  }

  /**
   * The answer to a call that succeeds, unless the plugin does not take what its description asks
   * for: then nothing can be said about it.
   */
  <A extends Message> A taken(MessageOrBuilder request, Class<A> answer) throws CaseEndedException {
    Message message = built(request);
    Reply reply = call(message);
    switch (reply.code()) {
      case INVALID_ARGUMENT, FAILED_PRECONDITION, RESOURCE_EXHAUSTED, OUT_OF_RANGE ->
          throw new CaseEndedException.NotRun(
              rpcName(message)
                  + " ended with "
                  + shown(reply)
                  + ". Describe what the plugin takes: parameters, capabilities, sizes, places");
      default -> {
        return succeeded(message, reply, answer);
      }
    }
  }

  /**
   * Ends the case if the plugin does not take this request, as what its description asks for does
   * not fit: then nothing can be said about its last answer.
   */
  void checkTaken(MessageOrBuilder request) throws CaseEndedException {
    StatusCode judged = last;
    Message unused = prepared(() -> taken(request, Message.class));
    last = judged;
  }

  /** The one message of a successful reply. */
  <A extends Message> A answer(Reply reply, Class<A> answer) throws CaseEndedException {
    if (reply.messages().size() != 1) {
      throw failed("one message", reply.messages().size() + " messages");
    }
    return answer.cast(reply.messages().get(0));
  }

  /** Fails unless the call fails with one of these codes. */
  void refused(MessageOrBuilder request, StatusCode... codes) throws CaseEndedException {
    Message message = built(request);
    Reply reply = call(message);
    check(
        List.of(codes).contains(reply.code()),
        rpcName(message) + " fails with " + words(codes),
        shown(reply));
  }

  /**
   * Fails unless the call fails with the best code, or with another one that the spec has for the
   * same request: the other one is advised against.
   */
  void refusedRather(MessageOrBuilder request, StatusCode best, StatusCode lawful)
      throws CaseEndedException {
    Message message = built(request);
    Reply reply = call(message);
    check(
        reply.code() == best || reply.code() == lawful,
        rpcName(message) + " fails with " + words(best),
        shown(reply));
    adviseUnless(message, reply, best);
  }

  /** Fails if the call succeeds; advises if it fails with another code than one of these. */
  void refusedBest(MessageOrBuilder request, StatusCode... codes) throws CaseEndedException {
    Message message = built(request);
    Reply reply = call(message);
    check(!reply.isOk(), rpcName(message) + " fails with " + words(codes), shown(reply));
    adviseUnless(message, reply, codes);
  }

  /** Fails if the call succeeds. */
  void refusedSomehow(MessageOrBuilder request) throws CaseEndedException {
    Message message = built(request);
    Reply reply = call(message);
    check(!reply.isOk(), rpcName(message) + " fails", shown(reply));
  }

  /** A request about a thing. */
  @FunctionalInterface
  interface Asking<T> {
    MessageOrBuilder about(T thing) throws CaseEndedException;
  }

  /** Fails unless a call about a volume that does not exist ends with this code. */
  void unknownVolume(StatusCode code, Asking<Volume> request) throws CaseEndedException {
    if (isNoId(code, request.about(LawfulRequests.NO_SUCH_VOLUME)) && Need.CREATE.met(this)) {
      endsWith(request.about(deletedVolume()), code);
    }
  }

  /**
   * Fails unless a call about a volume that does not exist ends with this code. Ends the case if
   * the plugin does not take the call for a volume that exists: it may refuse its other fields
   * before it looks for the volume.
   *
   * @param undo the call that undoes the first one, without which the volume cannot be deleted; or
   *     null if none is needed
   */
  void unknownVolumeIfTaken(StatusCode code, Asking<Volume> request, @Nullable Asking<Volume> undo)
      throws CaseEndedException {
    Message first = built(request.about(LawfulRequests.NO_SUCH_VOLUME));
    Reply reply = call(first);
    check(!reply.isOk(), rpcName(first) + " ends with " + words(code), shown(reply));
    if (reply.code() == code) {
      return;
    }
    Volume volume = Need.CREATE.met(this) ? create() : volume();
    checkTaken(request.about(volume));
    if (undo != null) {
      prepared(() -> ok(undo.about(volume), Message.class));
    }
    // From here on, the requests differ in the volume alone from one that the plugin takes.
    String unknown = LawfulRequests.NO_SUCH_VOLUME.getVolumeId();
    if (isNoId(code, request.about(volume.toBuilder().setVolumeId(unknown).build()))
        && Need.CREATE.met(this)) {
      endsWith(request.about(deleted(volume)), code);
    }
  }

  /** Fails unless a call about a snapshot that does not exist ends with this code. */
  void unknownSnapshot(StatusCode code, Asking<Snapshot> request) throws CaseEndedException {
    if (isNoId(code, request.about(LawfulRequests.NO_SUCH_SNAPSHOT))
        && Need.SNAPSHOTS.met(this)
        && Need.CREATE.met(this)) {
      endsWith(request.about(deletedSnapshot()), code);
    }
  }

  /** Fails unless a call about a group that does not exist ends with this code. */
  void unknownGroup(StatusCode code, Asking<VolumeGroupSnapshot> request)
      throws CaseEndedException {
    if (isNoId(code, request.about(LawfulRequests.NO_SUCH_GROUP)) && Need.CREATE.met(this)) {
      VolumeGroupSnapshot gone = group(create());
      prepared(() -> ok(LawfulRequests.toDeleteGroup(this, gone), Message.class));
      endsWith(request.about(gone), code);
    }
  }

  /**
   * Whether the plugin finds that the id is none of its own, which it may; else fails if not so.
   */
  private boolean isNoId(StatusCode code, MessageOrBuilder request) throws CaseEndedException {
    return refusedOr(request, code).code() == StatusCode.INVALID_ARGUMENT;
  }

  private Reply refusedOr(MessageOrBuilder request, StatusCode code) throws CaseEndedException {
    Message message = built(request);
    Reply reply = call(message);
    check(
        reply.code() == code || reply.code() == StatusCode.INVALID_ARGUMENT,
        rpcName(message) + " ends with " + words(code),
        shown(reply));
    return reply;
  }

  private void endsWith(MessageOrBuilder request, StatusCode code) throws CaseEndedException {
    Message message = built(request);
    Reply reply = call(message);
    check(reply.code() == code, rpcName(message) + " ends with " + words(code), shown(reply));
  }

  /** Advises if the call ends with another code than one of these. */
  Reply best(MessageOrBuilder request, StatusCode... codes) throws CaseEndedException {
    Message message = built(request);
    Reply reply = call(message);
    adviseUnless(message, reply, codes);
    return reply;
  }

  /** Advises if a call is served that the plugin does not offer. */
  void unoffered(Need need, Message request) throws CaseEndedException {
    if (!need.met(this)) {
      best(request, StatusCode.UNIMPLEMENTED);
    }
  }

  /** Advises if the call has ended with another code than one of these. */
  void adviseUnless(Message request, Reply reply, StatusCode... codes) {
    if (!List.of(codes).contains(reply.code())) {
      advise(
          rpcName(request)
              + " should end with "
              + words(codes)
              + " here, and ended with "
              + shown(reply)
              + ".");
    }
  }

  static String words(StatusCode... codes) {
    return Arrays.stream(codes)
        .map(code -> code == StatusCode.OK ? "OK" : code + " (" + code.value() + ")")
        .collect(Collectors.joining(" or "));
  }

  String shown(Reply reply) {
    return reply.shown(scrubber);
  }

  // ---- steps before what a case is about; a case is not run if the plugin refuses one

  /** A new volume. */
  Volume create() throws CaseEndedException {
    return prepared(() -> made(LawfulRequests.toCreate(this)));
  }

  /** The volume of this request, if the plugin makes it: what the case is about. */
  Volume made(MessageOrBuilder request) throws CaseEndedException {
    return named(ok(request, CreateVolumeResponse.class));
  }

  /** The volume of an answer. */
  Volume named(CreateVolumeResponse created) throws CaseEndedException {
    check(
        !created.getVolume().getVolumeId().isEmpty(),
        "the answer to CreateVolume names the volume",
        "an empty volume_id");
    return created.getVolume();
  }

  /** A volume that was made and deleted. */
  Volume deletedVolume() throws CaseEndedException {
    return deleted(create());
  }

  /** The volume, which is deleted. */
  private Volume deleted(Volume volume) throws CaseEndedException {
    return prepared(
        () -> {
          ok(LawfulRequests.toDelete(this, volume));
          return volume;
        });
  }

  /** A volume to be used: that of the description, or a new one. */
  Volume volume() throws CaseEndedException {
    return volume(LawfulRequests.capability(this));
  }

  /** A volume to be used like that. */
  Volume volume(VolumeCapability capability) throws CaseEndedException {
    if (plugin().existingVolume().isEmpty()) {
      return prepared(
          () ->
              made(
                  LawfulRequests.toCreate(this)
                      .clearVolumeCapabilities()
                      .addVolumeCapabilities(capability)));
    }
    return Volume.newBuilder()
        .setVolumeId(plugin().existingVolume().orElseThrow().value())
        .putAllVolumeContext(plugin().existingContext().reveal())
        .build();
  }

  /** Attaches the volume if the plugin does so; the publish context. */
  Map<String, String> attach(Volume volume, VolumeCapability capability) throws CaseEndedException {
    return Need.ATTACH.met(this)
        ? prepared(
            () ->
                ok(
                        LawfulRequests.toAttach(this, volume).setVolumeCapability(capability),
                        ControllerPublishVolumeResponse.class)
                    .getPublishContextMap())
        : Map.of();
  }

  Map<String, String> attach(Volume volume) throws CaseEndedException {
    return attach(volume, LawfulRequests.capability(this));
  }

  /** Attaches and stages the volume, as far as the plugin does so; the publish context. */
  Map<String, String> stage(Volume volume, VolumeCapability capability) throws CaseEndedException {
    Map<String, String> context = attach(volume, capability);
    if (Need.STAGING.met(this)) {
      prepared(
          () ->
              ok(
                  LawfulRequests.toStage(this, volume, context).setVolumeCapability(capability),
                  Message.class));
    }
    return context;
  }

  Map<String, String> stage(Volume volume) throws CaseEndedException {
    return stage(volume, LawfulRequests.capability(this));
  }

  /** A request to publish the volume, for which all is prepared. */
  NodePublishVolumeRequest.Builder staged(Volume volume, VolumeCapability capability)
      throws CaseEndedException {
    return LawfulRequests.toPublish(this, volume, stage(volume, capability))
        .setVolumeCapability(capability);
  }

  /** All that it takes to publish the volume; the last request. */
  NodePublishVolumeRequest publish(Volume volume, VolumeCapability capability)
      throws CaseEndedException {
    NodePublishVolumeRequest request = staged(volume, capability).build();
    prepared(() -> ok(request, Message.class));
    return request;
  }

  NodePublishVolumeRequest publish(Volume volume) throws CaseEndedException {
    return publish(volume, LawfulRequests.capability(this));
  }

  /** A new volume to be used, published. */
  Volume publishedVolume() throws CaseEndedException {
    Volume volume = volume();
    publish(volume);
    return volume;
  }

  /** A new snapshot, once it is ready to be used. */
  Snapshot snapshot(Volume volume) throws CaseEndedException {
    return readySnapshot(LawfulRequests.toSnapshot(this, volume));
  }

  /** The snapshot of this request, once it is ready to be used. */
  Snapshot readySnapshot(MessageOrBuilder request) throws CaseEndedException {
    Message same = built(request);
    return prepared(
        () -> {
          Pause pause = new Pause(plugin().deadline());
          Snapshot snapshot = cut(same);
          while (!snapshot.getReadyToUse()) {
            checkAgain(pause);
            snapshot = named(repeated(same, false, CreateSnapshotResponse.class));
          }
          return snapshot;
        });
  }

  /**
   * The answer to a request for snapshots that was answered before. The plugin may abort it until
   * they are ready.
   */
  <A extends Message> A repeated(MessageOrBuilder request, boolean ready, Class<A> answer)
      throws CaseEndedException {
    Message same = built(request);
    Pause pause = new Pause(plugin().deadline());
    Reply reply = call(same);
    while (!ready && reply.code() == StatusCode.ABORTED) {
      checkAgain(pause);
      reply = call(same);
    }
    return succeeded(same, reply, answer);
  }

  /** Ends the case if a snapshot has not become ready in time. */
  private void checkAgain(Pause pause) throws CaseEndedException {
    if (!pause.again()) {
      throw new CaseEndedException.NotRun(
          "a snapshot was not ready to use within " + plugin().deadline().toSeconds() + " s");
    }
  }

  /** The snapshot of this request, if the plugin makes it: what the case is about. */
  Snapshot cut(MessageOrBuilder request) throws CaseEndedException {
    return named(ok(request, CreateSnapshotResponse.class));
  }

  /** The snapshot of an answer. */
  Snapshot named(CreateSnapshotResponse created) throws CaseEndedException {
    check(
        !created.getSnapshot().getSnapshotId().isEmpty(),
        "the answer to CreateSnapshot names the snapshot",
        "an empty snapshot_id");
    return created.getSnapshot();
  }

  /** A snapshot that was made and deleted. */
  Snapshot deletedSnapshot() throws CaseEndedException {
    return prepared(
        () -> {
          Snapshot snapshot = snapshot(create());
          ok(LawfulRequests.toDeleteSnapshot(this, snapshot));
          return snapshot;
        });
  }

  /** A new group snapshot of these volumes. */
  VolumeGroupSnapshot group(Volume... volumes) throws CaseEndedException {
    return prepared(
        () ->
            named(
                ok(
                    LawfulRequests.toGroup(this, volumes),
                    CreateVolumeGroupSnapshotResponse.class)));
  }

  /** The group snapshot of this request, once it is ready to be used. */
  VolumeGroupSnapshot readyGroup(MessageOrBuilder request) throws CaseEndedException {
    Message same = built(request);
    return prepared(
        () -> {
          Pause pause = new Pause(plugin().deadline());
          var group = named(ok(same, CreateVolumeGroupSnapshotResponse.class));
          while (!group.getReadyToUse()) {
            checkAgain(pause);
            group = named(repeated(same, false, CreateVolumeGroupSnapshotResponse.class));
          }
          return group;
        });
  }

  /** The group of an answer. */
  VolumeGroupSnapshot named(CreateVolumeGroupSnapshotResponse created) throws CaseEndedException {
    check(
        !created.getGroupSnapshot().getGroupSnapshotId().isEmpty(),
        "the answer to CreateVolumeGroupSnapshot names the group",
        "an empty group_snapshot_id");
    return created.getGroupSnapshot();
  }

  /** The entries of a list, page by page; fails if a page has too many, or there is no end. */
  List<Message> listed(Message.Builder request) throws CaseEndedException {
    int most = (int) field(request, "max_entries");
    List<Message> found = new ArrayList<>();
    Set<Message> known = new HashSet<>();
    Set<String> tokens = new HashSet<>();
    String token = "";
    int pages = 0;
    do {
      FieldDescriptor start = request.getDescriptorForType().findFieldByName("starting_token");
      Message page = ok(request.setField(start, token), Message.class);
      List<?> entries = (List<?>) field(page, "entries");
      check(
          most == 0 || entries.size() <= most,
          "at most " + most + " entries on a page",
          entries.size() + " entries");
      boolean more = false;
      for (Object each : entries) {
        found.add((Message) each);
        more |= known.add((Message) each);
      }
      token = (String) field(page, "next_token");
      pages++;
      check(
          (tokens.add(token) || more) && pages < MANY_PAGES,
          "a listing that ends",
          "the next_token " + SafeText.quote(token) + " again and nothing new, or too many pages");
    } while (!token.isEmpty());
    return found;
  }

  private static Object field(MessageOrBuilder of, String name) {
    return of.getField(of.getDescriptorForType().findFieldByName(name));
  }

  // ---- the verdict

  /** Fails the case unless {@code holds}. */
  void check(boolean holds, String expected, String got) throws CaseEndedException {
    if (!holds) {
      throw failed(expected, got);
    }
  }

  /** Fails the case unless both are the same; {@code what} is said before them. */
  void checkSame(String what, String expected, String got) throws CaseEndedException {
    check(expected.equals(got), what + SafeText.quote(expected), what + SafeText.quote(got));
  }

  /** Notes something that a plugin may do, but better would not. */
  void advise(String what) {
    advice.add(what);
  }

  /**
   * Advises against a text that is longer than the spec allows, as some well-known plugins give.
   */
  void adviseSize(String field, String text) {
    adviseSize(field, SafeText.utf8Length(text), FieldLimits.TEXT);
  }

  /** Advises against a map that is larger than the spec allows. */
  void adviseSize(String field, Map<String, String> map) {
    int bytes =
        map.entrySet().stream()
            .mapToInt(
                each -> SafeText.utf8Length(each.getKey()) + SafeText.utf8Length(each.getValue()))
            .sum();
    adviseSize(field, bytes, FieldLimits.MAP);
  }

  private void adviseSize(String field, int bytes, int most) {
    if (bytes > most) {
      advise(field + " has " + bytes + " bytes, more than the " + most + " of the spec.");
    }
  }

  private static CaseEndedException.Failed failed(String expected, String got) {
    return new CaseEndedException.Failed(expected, got);
  }

  List<String> advice() {
    return advice;
  }

  /** The calls in lines for people: those before what the case is about in one. */
  List<String> calls() {
    List<String> lines = new ArrayList<>();
    List<String> before =
        calls.stream()
            .filter(each -> each.setUp() && each.ok())
            .map(each -> each.operation().rpcName())
            .toList();
    if (!before.isEmpty()) {
      lines.add("set-up, all OK: " + String.join(", ", before));
    }
    calls.stream()
        .filter(each -> !each.setUp() || !each.ok())
        .map(ToldCall::line)
        .forEach(lines::add);
    return lines;
  }

  StatusCode lastCode() {
    return last;
  }

  /** Returns the operation of the last call, if that is not implemented. */
  Optional<CsiOperation> lastUnserved() {
    return last == StatusCode.UNIMPLEMENTED
        ? Optional.of(calls.get(calls.size() - 1).operation())
        : Optional.empty();
  }

  /**
   * Whether an earlier call of the case did the same to the thing of the last call, or ended it.
   */
  boolean lastIsAboutTheSame() {
    if (calls.isEmpty()) {
      return false;
    }
    ToldCall present = calls.get(calls.size() - 1);
    Set<String> things = present.things();
    return calls.subList(0, calls.size() - 1).stream()
        .filter(
            each -> each.operation() == present.operation() || DELETIONS.contains(each.operation()))
        .filter(ToldCall::ok)
        .anyMatch(each -> each.things().stream().anyMatch(things::contains));
  }

  /** Takes over what an earlier run has left. */
  void takeOver(Message undo) {
    leftovers.takeOver(undo);
  }

  /** Returns the requests that would undo what is there of the case. */
  List<Message> owed() {
    return leftovers.owed();
  }

  /** Tells the run what is there of the case, before and after each call. */
  void remember() {
    run.remember();
  }

  /** Whether nothing answers, so that nothing can be undone. */
  boolean isSilent(Message request, Reply reply) {
    return run.presence().isSilent(RawPlugin.operation(request), reply, socket(request));
  }

  /** Returns the number of mounts at a path of the plugin that are seen from here. */
  int mountsAt(String atPlugin) {
    return SeenMounts.at(paths.here(atPlugin));
  }

  /** Undoes what was made, the newest first; tells what could not be undone. */
  List<String> cleanUp() {
    List<String> left = new ArrayList<>();
    leftovers.undo().forEach(each -> left.add(run.named(each)));
    left.addAll(paths.remove());
    return left;
  }

  /** Returns what would be cleaned up. */
  List<String> kept() {
    return leftovers.kept();
  }
}
