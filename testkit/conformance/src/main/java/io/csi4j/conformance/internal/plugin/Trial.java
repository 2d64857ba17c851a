package io.csi4j.conformance.internal.plugin;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.MessageOrBuilder;
import io.csi4j.client.internal.proto.ControllerGetCapabilitiesRequest;
import io.csi4j.client.internal.proto.ControllerGetCapabilitiesResponse;
import io.csi4j.client.internal.proto.ControllerPublishVolumeResponse;
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
import io.csi4j.client.internal.proto.Snapshot;
import io.csi4j.client.internal.proto.Volume;
import io.csi4j.client.internal.proto.VolumeCapability;
import io.csi4j.client.internal.proto.VolumeGroupSnapshot;
import io.csi4j.client.internal.redaction.RedactedText;
import io.csi4j.client.internal.redaction.Scrubber;
import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.CsiService;
import io.csi4j.client.model.StatusCode;
import io.csi4j.conformance.model.PluginUnderTest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** One case while it runs: its calls, what they made, and what was noticed. For one thread. */
final class Trial {

  /** The sizes that the spec has for fields: well-known plugins exceed them, so this is advice. */
  private static final int TEXT_BYTES = 128;

  private static final int MAP_BYTES = 4 << 10;
  private static final int MANY_PAGES = 10_000;

  private final SuiteRun run;
  private final TrialLeftovers leftovers;
  private final TrialPaths paths;
  private final UnaryOperator<String> scrubber;
  private final List<String> calls = new ArrayList<>();
  private final List<String> advice = new ArrayList<>();
  private final int number;
  private int names;
  private StatusCode last = StatusCode.OK;
  private @Nullable Offers offers;

  /**
   * What a plugin says that it offers.
   *
   * @param types of all its capabilities, and how it says that volumes grow
   * @param info of its node
   */
  record Offers(Set<Enum<?>> types, NodeGetInfoResponse info) {
    boolean has(Enum<?> type) {
      return types.contains(type);
    }
  }

  Trial(SuiteRun run, int number) {
    this.run = run;
    this.number = number;
    this.paths = new TrialPaths(run.plugin(), run.directory(), run.mark() + "-" + number);
    this.scrubber = Scrubber.of(secretValues(run.plugin()));
    this.leftovers = new TrialLeftovers(this);
  }

  private static List<String> secretValues(PluginUnderTest plugin) {
    return Arrays.stream(CsiOperation.values())
        .map(plugin::secrets)
        .map(each -> each.reveal().values())
        .flatMap(Collection::stream)
        .distinct()
        .toList();
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
      known = askOffers();
      offers = known;
    }
    return known;
  }

  private Offers askOffers() throws CaseEndedException {
    Set<Enum<?>> types = new HashSet<>();
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
    if (types.contains(PluginCapability.Service.Type.CONTROLLER_SERVICE)) {
      ok(
              ControllerGetCapabilitiesRequest.getDefaultInstance(),
              ControllerGetCapabilitiesResponse.class)
          .getCapabilitiesList()
          .forEach(each -> types.add(each.getRpc().getType()));
    }
    if (types.contains(PluginCapability.Service.Type.GROUP_CONTROLLER_SERVICE)) {
      ok(
              GroupControllerGetCapabilitiesRequest.getDefaultInstance(),
              GroupControllerGetCapabilitiesResponse.class)
          .getCapabilitiesList()
          .forEach(each -> types.add(each.getRpc().getType()));
    }
    ok(NodeGetCapabilitiesRequest.getDefaultInstance(), NodeGetCapabilitiesResponse.class)
        .getCapabilitiesList()
        .forEach(each -> types.add(each.getRpc().getType()));
    return new Offers(
        types, ok(NodeGetInfoRequest.getDefaultInstance(), NodeGetInfoResponse.class));
  }

  // ---- calls

  /** The message of a request that may still be a builder. */
  static Message built(MessageOrBuilder request) {
    return request instanceof Message.Builder builder ? builder.build() : (Message) request;
  }

  /** Sends a request and waits for what becomes of it. */
  Reply call(MessageOrBuilder request) {
    Message message = built(request);
    return end(message, begin(message));
  }

  private CompletableFuture<Reply> begin(Message request) {
    CsiService service = RawPlugin.operation(request).service();
    RawPlugin socket = service == CsiService.NODE ? run.node() : run.controller();
    return socket.call(request, plugin().deadline());
  }

  private Reply end(Message request, CompletableFuture<Reply> begun) {
    Reply reply = begun.join();
    last = reply.code();
    calls.add(
        rpcName(request)
            + " "
            + RedactedText.of(request, scrubber)
            + " -> "
            + shown(reply)
            + " in "
            + reply.took().toMillis()
            + " ms");
    leftovers.note(request, reply);
    return reply;
  }

  private static String rpcName(Message request) {
    return RawPlugin.operation(request).rpcName();
  }

  /** Sends all requests before it waits for any answer. */
  List<Reply> together(Message... requests) {
    List<CompletableFuture<Reply>> begun = Arrays.stream(requests).map(this::begin).toList();
    List<Reply> replies = new ArrayList<>();
    for (int i = 0; i < requests.length; i++) {
      replies.add(end(requests[i], begun.get(i)));
    }
    return replies;
  }

  /** Calls on the socket of the node, for any service. */
  Reply callNode(Message request) {
    return end(request, run.node().call(request, plugin().deadline()));
  }

  /** The answer to a call that has to succeed. */
  <A extends Message> A ok(MessageOrBuilder request, Class<A> answer) throws CaseEndedException {
    Message message = built(request);
    Reply reply = call(message);
    if (!reply.isOk()) {
      throw failed(rpcName(message) + " succeeds", shown(reply));
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

  /** Fails if the call succeeds; advises if it fails with another code than one of these. */
  void refusedBest(MessageOrBuilder request, StatusCode... codes) throws CaseEndedException {
    Message message = built(request);
    Reply reply = call(message);
    check(!reply.isOk(), rpcName(message) + " fails with " + words(codes), shown(reply));
    answered(message, reply);
    adviseUnless(message, reply, codes);
  }

  /** Advises if the call ends with another code than one of these. */
  Reply best(MessageOrBuilder request, StatusCode... codes) throws CaseEndedException {
    Message message = built(request);
    Reply reply = call(message);
    answered(message, reply);
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

  /** Fails if there was no answer, or none that tells a caller what to do. */
  void answered(Message request, Reply reply) throws CaseEndedException {
    check(
        !reply.isUncertain() || reply.code() == StatusCode.ABORTED,
        rpcName(request) + " ends with a code that tells its caller what to do",
        shown(reply));
  }

  static String words(StatusCode... codes) {
    return Arrays.stream(codes)
        .map(code -> code == StatusCode.OK ? "OK" : code + " (" + code.value() + ")")
        .collect(Collectors.joining(" or "));
  }

  String shown(Reply reply) {
    return reply.shown(scrubber);
  }

  // ---- steps that cases have in common; each fails the case if the plugin refuses it

  /** A new volume. */
  Volume create() throws CaseEndedException {
    return create(LawfulRequests.toCreate(this));
  }

  /** The volume of this request. */
  Volume create(MessageOrBuilder request) throws CaseEndedException {
    Volume volume = ok(request, CreateVolumeResponse.class).getVolume();
    check(
        !volume.getVolumeId().isEmpty(),
        "the answer to CreateVolume names the volume",
        "an empty volume_id");
    return volume;
  }

  /** A volume to be used: a new one, or that of the description. */
  Volume volume() throws CaseEndedException {
    return volume(LawfulRequests.capability(this));
  }

  /** A volume to be used like that. */
  Volume volume(VolumeCapability capability) throws CaseEndedException {
    if (Need.CREATE.met(this)) {
      return create(
          LawfulRequests.toCreate(this)
              .clearVolumeCapabilities()
              .addVolumeCapabilities(capability));
    }
    return Volume.newBuilder()
        .setVolumeId(plugin().existingVolume().orElseThrow().value())
        .putAllVolumeContext(plugin().existingContext().reveal())
        .build();
  }

  /** Attaches the volume if the plugin does so; the publish context. */
  Map<String, String> attach(Volume volume, VolumeCapability capability) throws CaseEndedException {
    return Need.ATTACH.met(this)
        ? ok(
                LawfulRequests.toAttach(this, volume).setVolumeCapability(capability),
                ControllerPublishVolumeResponse.class)
            .getPublishContextMap()
        : Map.of();
  }

  Map<String, String> attach(Volume volume) throws CaseEndedException {
    return attach(volume, LawfulRequests.capability(this));
  }

  /** Attaches and stages the volume, as far as the plugin does so; the publish context. */
  Map<String, String> stage(Volume volume, VolumeCapability capability) throws CaseEndedException {
    Map<String, String> context = attach(volume, capability);
    if (Need.STAGING.met(this)) {
      ok(LawfulRequests.toStage(this, volume, context).setVolumeCapability(capability));
    }
    return context;
  }

  Map<String, String> stage(Volume volume) throws CaseEndedException {
    return stage(volume, LawfulRequests.capability(this));
  }

  /** All that it takes to publish the volume; the last request. */
  NodePublishVolumeRequest publish(Volume volume, VolumeCapability capability)
      throws CaseEndedException {
    NodePublishVolumeRequest request =
        LawfulRequests.toPublish(this, volume, stage(volume, capability))
            .setVolumeCapability(capability)
            .build();
    ok(request);
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

  /** A new snapshot. */
  Snapshot snapshot(Volume volume) throws CaseEndedException {
    Snapshot snapshot =
        ok(LawfulRequests.toSnapshot(this, volume), CreateSnapshotResponse.class).getSnapshot();
    check(
        !snapshot.getSnapshotId().isEmpty(),
        "the answer to CreateSnapshot names the snapshot",
        "an empty snapshot_id");
    return snapshot;
  }

  /** A new group snapshot of these volumes. */
  VolumeGroupSnapshot group(Volume... volumes) throws CaseEndedException {
    VolumeGroupSnapshot group =
        ok(LawfulRequests.toGroup(this, volumes), CreateVolumeGroupSnapshotResponse.class)
            .getGroupSnapshot();
    check(
        !group.getGroupSnapshotId().isEmpty(),
        "the answer to CreateVolumeGroupSnapshot names the group",
        "an empty group_snapshot_id");
    return group;
  }

  /** The entries of a list, page by page; fails if a page has too many, or there is no end. */
  List<Message> listed(Message.Builder request) throws CaseEndedException {
    int most = (int) field(request, "max_entries");
    List<Message> found = new ArrayList<>();
    Set<String> tokens = new HashSet<>();
    String token = "";
    do {
      FieldDescriptor start = request.getDescriptorForType().findFieldByName("starting_token");
      Message page = ok(request.setField(start, token), Message.class);
      List<?> entries = (List<?>) field(page, "entries");
      check(
          most == 0 || entries.size() <= most,
          "at most " + most + " entries on a page",
          entries.size() + " entries");
      entries.forEach(each -> found.add((Message) each));
      token = (String) field(page, "next_token");
      check(
          tokens.add(token) && tokens.size() < MANY_PAGES,
          "a listing that ends",
          "the next_token " + SafeText.quote(token) + " again, or too many pages");
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

  /** Advises against a text that is longer than the spec allows. */
  void adviseSize(String field, String text) {
    adviseSize(field, SafeText.utf8Length(text), TEXT_BYTES);
  }

  /** Advises against a map that is larger than the spec allows. */
  void adviseSize(String field, Map<String, String> map) {
    int bytes =
        map.entrySet().stream()
            .mapToInt(
                each -> SafeText.utf8Length(each.getKey()) + SafeText.utf8Length(each.getValue()))
            .sum();
    adviseSize(field, bytes, MAP_BYTES);
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

  List<String> calls() {
    return calls;
  }

  StatusCode lastCode() {
    return last;
  }

  /** Undoes what was made, the newest first; tells what could not be undone. */
  List<String> cleanUp() {
    List<String> left = new ArrayList<>(leftovers.undo());
    left.addAll(paths.remove());
    return left;
  }

  /** Returns what would be cleaned up. */
  List<String> kept() {
    return leftovers.kept();
  }
}
