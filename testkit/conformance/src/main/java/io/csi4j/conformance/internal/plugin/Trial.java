package io.csi4j.conformance.internal.plugin;

import com.google.protobuf.Message;
import io.csi4j.client.internal.proto.ControllerGetCapabilitiesRequest;
import io.csi4j.client.internal.proto.ControllerServiceCapability;
import io.csi4j.client.internal.proto.GetPluginCapabilitiesRequest;
import io.csi4j.client.internal.proto.GetPluginCapabilitiesResponse;
import io.csi4j.client.internal.proto.GroupControllerGetCapabilitiesRequest;
import io.csi4j.client.internal.proto.GroupControllerServiceCapability;
import io.csi4j.client.internal.proto.NodeGetCapabilitiesRequest;
import io.csi4j.client.internal.proto.NodeGetInfoRequest;
import io.csi4j.client.internal.proto.NodeServiceCapability;
import io.csi4j.client.internal.proto.PluginCapability;
import io.csi4j.client.internal.redaction.RedactedText;
import io.csi4j.client.internal.redaction.Scrubber;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.CsiService;
import io.csi4j.client.model.StatusCode;
import io.csi4j.conformance.model.PluginUnderTest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** One case while it runs: its calls, what they made, and what was noticed. For one thread. */
final class Trial {

  private final SuiteRun run;
  private final TrialLeftovers leftovers;
  private final TrialPaths paths;
  private final UnaryOperator<String> scrubber;
  private final List<String> calls = new ArrayList<>();
  private final List<String> advice = new ArrayList<>();
  private final int number;
  private int names;
  private StatusCode last = StatusCode.OK;
  private @Nullable PluginOffers offers;

  Trial(SuiteRun run, int number) {
    this.run = run;
    this.number = number;
    this.paths = new TrialPaths(run.plugin(), run.directory(), run.mark() + "-" + number);
    this.scrubber = Scrubber.of(secretValues(run.plugin()));
    this.leftovers = new TrialLeftovers(run.plugin());
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
  PluginOffers offers() throws CaseEndedException {
    PluginOffers known = offers;
    if (known == null) {
      known = askOffers();
      offers = known;
    }
    return known;
  }

  private PluginOffers askOffers() throws CaseEndedException {
    GetPluginCapabilitiesResponse plugin =
        ok(CsiRpc.GET_PLUGIN_CAPABILITIES, GetPluginCapabilitiesRequest.getDefaultInstance());
    Set<PluginCapability.Service.Type> services =
        plugin.getCapabilitiesList().stream()
            .filter(PluginCapability::hasService)
            .map(each -> each.getService().getType())
            .collect(Collectors.toSet());
    Set<ControllerServiceCapability.RPC.Type> controller = Set.of();
    if (services.contains(PluginCapability.Service.Type.CONTROLLER_SERVICE)) {
      controller =
          ok(
                  CsiRpc.CONTROLLER_GET_CAPABILITIES,
                  ControllerGetCapabilitiesRequest.getDefaultInstance())
              .getCapabilitiesList()
              .stream()
              .map(each -> each.getRpc().getType())
              .collect(Collectors.toSet());
    }
    Set<GroupControllerServiceCapability.RPC.Type> group = Set.of();
    if (services.contains(PluginCapability.Service.Type.GROUP_CONTROLLER_SERVICE)) {
      group =
          ok(
                  CsiRpc.GROUP_CONTROLLER_GET_CAPABILITIES,
                  GroupControllerGetCapabilitiesRequest.getDefaultInstance())
              .getCapabilitiesList()
              .stream()
              .map(each -> each.getRpc().getType())
              .collect(Collectors.toSet());
    }
    Set<NodeServiceCapability.RPC.Type> node =
        ok(CsiRpc.NODE_GET_CAPABILITIES, NodeGetCapabilitiesRequest.getDefaultInstance())
            .getCapabilitiesList()
            .stream()
            .map(each -> each.getRpc().getType())
            .collect(Collectors.toSet());
    return new PluginOffers(
        services,
        plugin.getCapabilitiesList().stream()
            .filter(PluginCapability::hasVolumeExpansion)
            .map(each -> each.getVolumeExpansion().getType())
            .collect(Collectors.toSet()),
        controller,
        group,
        node,
        ok(CsiRpc.NODE_GET_INFO, NodeGetInfoRequest.getDefaultInstance()));
  }

  /** Sends a request and waits for what becomes of it. */
  <Q extends Message, A extends Message> Reply call(CsiRpc<Q, A> rpc, Q request) {
    return call(rpc.operation(), request);
  }

  /** Sends any request. */
  Reply call(CsiOperation operation, Message request) {
    return end(operation, request, begin(operation, request));
  }

  private CompletableFuture<Reply> begin(CsiOperation operation, Message request) {
    return socket(operation).call(operation, request, plugin().deadline());
  }

  private Reply end(CsiOperation operation, Message request, CompletableFuture<Reply> begun) {
    Reply reply = begun.join();
    last = reply.code();
    calls.add(
        operation.rpcName()
            + " "
            + RedactedText.of(request, scrubber)
            + " -> "
            + shown(reply)
            + " in "
            + reply.took().toMillis()
            + " ms");
    leftovers.note(operation, request, reply);
    return reply;
  }

  /** Sends all requests before it waits for any answer. */
  <Q extends Message, A extends Message> List<Reply> together(CsiRpc<Q, A> rpc, List<Q> requests) {
    List<CompletableFuture<Reply>> begun =
        requests.stream().map(each -> begin(rpc.operation(), each)).toList();
    List<Reply> replies = new ArrayList<>();
    for (int i = 0; i < begun.size(); i++) {
      replies.add(end(rpc.operation(), requests.get(i), begun.get(i)));
    }
    return replies;
  }

  private RawPlugin socket(CsiOperation operation) {
    return operation.service() == CsiService.NODE ? run.node() : run.controller();
  }

  /** Calls on the socket of the node, for any service. */
  Reply callNode(CsiOperation operation, Message request) {
    return end(operation, request, run.node().call(operation, request, plugin().deadline()));
  }

  /** The answer to a call that has to succeed. */
  <Q extends Message, A extends Message> A ok(CsiRpc<Q, A> rpc, Q request)
      throws CaseEndedException {
    Reply reply = call(rpc, request);
    if (!reply.isOk()) {
      throw failed(rpc.operation().rpcName() + " succeeds", shown(reply));
    }
    return answer(rpc, reply);
  }

  /** The one message of a successful reply. */
  <Q extends Message, A extends Message> A answer(CsiRpc<Q, A> rpc, Reply reply)
      throws CaseEndedException {
    if (reply.messages().size() != 1) {
      throw failed("one message", reply.messages().size() + " messages");
    }
    return rpc.answer(reply.messages().get(0));
  }

  /** Fails unless the call fails with one of these codes. */
  <Q extends Message, A extends Message> void refused(
      CsiRpc<Q, A> rpc, Q request, StatusCode... codes) throws CaseEndedException {
    Reply reply = call(rpc, request);
    if (!List.of(codes).contains(reply.code())) {
      throw failed(rpc.operation().rpcName() + " fails with " + words(codes), shown(reply));
    }
  }

  /** Fails if the call succeeds; advises if it fails with another code than one of these. */
  <Q extends Message, A extends Message> void refusedBest(
      CsiRpc<Q, A> rpc, Q request, StatusCode... codes) throws CaseEndedException {
    Reply reply = call(rpc, request);
    if (reply.isOk()) {
      throw failed(rpc.operation().rpcName() + " fails with " + words(codes), shown(reply));
    }
    answered(rpc, reply);
    adviseUnless(rpc, reply, codes);
  }

  /** Advises if the call ends with another code than one of these. */
  <Q extends Message, A extends Message> Reply best(
      CsiRpc<Q, A> rpc, Q request, StatusCode... codes) throws CaseEndedException {
    Reply reply = call(rpc, request);
    answered(rpc, reply);
    adviseUnless(rpc, reply, codes);
    return reply;
  }

  private <Q extends Message, A extends Message> void adviseUnless(
      CsiRpc<Q, A> rpc, Reply reply, StatusCode... codes) {
    if (!List.of(codes).contains(reply.code())) {
      advise(
          rpc.operation().rpcName()
              + " should end with "
              + words(codes)
              + " here, and ended with "
              + shown(reply)
              + ".");
    }
  }

  /** Fails if there was no answer, or none that tells a caller what to do. */
  <Q extends Message, A extends Message> void answered(CsiRpc<Q, A> rpc, Reply reply)
      throws CaseEndedException {
    if (reply.isUncertain() && reply.code() != StatusCode.ABORTED) {
      throw failed(
          rpc.operation().rpcName() + " ends with a code that tells its caller what to do",
          shown(reply));
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

  /** Fails the case unless {@code holds}. */
  void check(boolean holds, String expected, String got) throws CaseEndedException {
    if (!holds) {
      throw failed(expected, got);
    }
  }

  /** Notes something that a plugin may do, but better would not. */
  void advise(String what) {
    advice.add(what);
  }

  /** The failure of this case. */
  CaseEndedException.Failed failed(String expected, String got) {
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
    List<String> left = new ArrayList<>(leftovers.undo(this));
    left.addAll(paths.remove());
    return left;
  }

  /** Returns what would be cleaned up. */
  List<String> kept() {
    return leftovers.kept();
  }
}
