package io.csi4j.conformance.internal.plugin;

import com.google.protobuf.Message;
import com.google.protobuf.MessageOrBuilder;
import io.csi4j.client.internal.proto.VolumeCapability;
import io.csi4j.client.internal.text.FieldLimits;
import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.conformance.model.CaseResult.Outcome;
import io.csi4j.conformance.model.PluginUnderTest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A running case, with its calls, the objects that they created, and its findings. Not thread-safe.
 */
final class Trial {

  private final SuiteRun run;
  private final TrialLeftovers leftovers;
  private final TrialPaths paths;
  private final UnaryOperator<String> scrubber;
  private final CallLog calls;
  private final List<String> advice = new ArrayList<>();
  private final Map<String, VolumeCapability> uses = new HashMap<>();
  private final Map<String, Map<String, String>> publishContexts = new HashMap<>();
  private final int number;
  private int names;
  private boolean preparing;
  private @Nullable PluginOffers offers;

  Trial(SuiteRun run, int number) {
    this.run = run;
    this.number = number;
    this.paths = new TrialPaths(run.plugin(), run.directory(), run.mark() + "-" + number);
    this.scrubber = run.scrubber();
    this.calls = new CallLog(scrubber);
    this.leftovers = new TrialLeftovers(this);
  }

  /**
   * Returns the capabilities with which the case uses volumes, by volume id. All other volumes are
   * used with the usual capability.
   */
  Map<String, VolumeCapability> uses() {
    return uses;
  }

  /** Returns the publish contexts of the volumes that the case attached, by volume id. */
  Map<String, Map<String, String>> publishContexts() {
    return publishContexts;
  }

  PluginUnderTest plugin() {
    return run.plugin();
  }

  TrialPaths paths() {
    return paths;
  }

  /** Returns a unique name. */
  String newName() {
    return "csi4j-" + run.mark() + "-" + number + "-" + ++names;
  }

  /** Returns the services and capabilities of the plugin. They are queried only once in a case. */
  PluginOffers offers() {
    PluginOffers known = offers;
    if (known == null) {
      known = prepared(() -> PluginOffers.of(this));
      offers = known;
    }
    return known;
  }

  // ---- calls

  /** Returns the request as a message. A builder is built first. */
  static Message built(MessageOrBuilder request) {
    return request instanceof Message.Builder builder ? builder.build() : (Message) request;
  }

  /** Sends a request and waits for its reply. */
  Reply call(MessageOrBuilder request) {
    Message message = built(request);
    checkMayAsk(message);
    return judged(noted(message, begin(message)), socket(message));
  }

  private void checkMayAsk(Message request) {
    run.checkNotStopped();
    run.checkInBudget();
    run.presence().checkMayAsk(RawPlugin.operation(request));
  }

  /**
   * Sends a request that undoes an effect. The request is sent even if the plugin seems to be
   * hanging.
   */
  Reply undo(Message request) {
    preparing = false;
    leftovers.begin(request);
    return noted(request, socket(request).call(request, plugin().deadline()));
  }

  private RawPlugin socket(Message request) {
    return RawPlugin.operation(request).service() == CsiOperation.Service.NODE
        ? run.node()
        : run.controller();
  }

  private CompletableFuture<Reply> begin(Message request) {
    leftovers.begin(request);
    return socket(request).call(request, run.deadline());
  }

  private Reply noted(Message request, CompletableFuture<Reply> begun) {
    Reply reply = begun.join();
    calls.add(preparing, request, reply);
    leftovers.note(request, reply);
    return reply;
  }

  /**
   * Returns the reply. Ends the case if the plugin did not answer, or if the answer contains
   * secrets.
   */
  private Reply judged(Reply reply, RawPlugin socket) {
    if (reply.code() == StatusCode.DEADLINE_EXCEEDED) {
      run.checkInBudget();
    }
    run.presence().heard(reply, socket);
    if (!preparing) {
      run.presence().checkServed(reply);
    }
    if (reply.code() == StatusCode.UNAUTHENTICATED
        || reply.code() == StatusCode.PERMISSION_DENIED) {
      throw CaseEndedException.notRun(
          "%s ended with %s. Give the plugin the secrets that it requires"
              .formatted(reply.rpcName(), shown(reply)));
    }
    return reply;
  }

  /** Sends all requests before it waits for any answer. */
  List<Reply> together(Message... requests) {
    for (Message each : requests) {
      checkMayAsk(each);
    }
    List<CompletableFuture<Reply>> begun = Arrays.stream(requests).map(this::begin).toList();
    List<Reply> replies = new ArrayList<>();
    for (int i = 0; i < requests.length; i++) {
      replies.add(noted(requests[i], begun.get(i)));
    }
    for (int i = 0; i < requests.length; i++) {
      judged(replies.get(i), socket(requests[i]));
    }
    return replies;
  }

  /** Makes a call to any service on the node's socket. */
  Reply callNode(Message request) {
    return judged(unjudged(request, run.node()), run.node());
  }

  /** Makes a call on a socket, and returns any reply without judging it. */
  Reply unjudged(Message request, RawPlugin socket) {
    return noted(request, socket.call(request, run.deadline()));
  }

  /**
   * Runs a preparation step. If the plugin refuses such a step, the case does not fail, but ends
   * without a verdict.
   */
  <T> T prepared(Supplier<T> step) {
    boolean outer = preparing;
    preparing = true;
    try {
      return step.get();
    } catch (CaseEndedException e) {
      if (e.outcome() != Outcome.FAILED || e.inAnyStep()) {
        throw e;
      }
      throw CaseEndedException.notRun(
          "a preparing step failed. Expected: %s; got: %s".formatted(e.expected(), e.text()));
    } finally {
      preparing = outer;
    }
  }

  /** Makes a call as a preparation step. */
  void prepare(MessageOrBuilder request) {
    Message unused = prepared(() -> ok(request, Message.class));
  }

  /** Makes a call that must succeed, and returns its answer. */
  <A extends Message> A ok(MessageOrBuilder request, Class<A> answer) {
    return succeeded(call(request), answer);
  }

  /** Returns the answer in the reply. Fails unless the call succeeded. */
  <A extends Message> A succeeded(Reply reply, Class<A> answer) {
    check(reply.isOk(), reply, "succeeds");
    return answer(reply, answer);
  }

  /** Makes a call, and fails unless the call succeeds. */
  void ok(MessageOrBuilder request) {
    ok(request, Message.class);
  }

  /** Makes a call twice, and fails unless both calls succeed. */
  void okTwice(MessageOrBuilder request) {
    Message same = built(request);
    ok(same);
    ok(same);
  }

  /**
   * Makes a call and returns its answer. If the plugin does not accept the values in its
   * description, the case ends without a verdict.
   */
  <A extends Message> A taken(MessageOrBuilder request, Class<A> answer) {
    Reply reply = call(request);
    switch (reply.code()) {
      case INVALID_ARGUMENT, FAILED_PRECONDITION, RESOURCE_EXHAUSTED, OUT_OF_RANGE ->
          throw CaseEndedException.notRun(
              ("%s ended with %s. Describe what the plugin accepts: parameters, capabilities,"
                      + " sizes, topologies")
                  .formatted(reply.rpcName(), shown(reply)));
      default -> {
        return succeeded(reply, answer);
      }
    }
  }

  /**
   * Checks that the plugin accepts this request. If it refuses the values in its description, the
   * case ends without a verdict.
   */
  void checkTaken(MessageOrBuilder request) {
    StatusCode judged = calls.lastCode();
    Message unused = prepared(() -> taken(request, Message.class));
    calls.judgeBy(judged);
  }

  /** Returns the message of a successful reply. Fails unless the reply has exactly one message. */
  <A extends Message> A answer(Reply reply, Class<A> answer) {
    check(reply.messages().size() == 1, "one message", reply.messages().size() + " messages");
    return answer.cast(reply.messages().get(0));
  }

  /** Makes a call, and fails unless the call ends with one of these error codes. */
  void refused(MessageOrBuilder request, StatusCode... codes) {
    checkFails(call(request), codes);
  }

  /** Fails unless the call ended with one of these error codes. */
  void checkFails(Reply reply, StatusCode... codes) {
    check(List.of(codes).contains(reply.code()), reply, "fails with " + words(codes));
  }

  /** Makes a call, and records advice if it ends with any other code. */
  Reply best(MessageOrBuilder request, StatusCode... codes) {
    Reply reply = call(request);
    adviseUnless(reply, codes);
    return reply;
  }

  /** Records advice if the plugin serves a call for which it does not offer the capability. */
  void unoffered(Need need, CsiOperation operation) {
    if (!need.met(this)) {
      best(RawPlugin.request(operation), StatusCode.UNIMPLEMENTED);
    }
  }

  /** Records advice if the call ended with any other code. */
  void adviseUnless(Reply reply, StatusCode... codes) {
    if (!List.of(codes).contains(reply.code())) {
      advise(
          "%s should end with %s here, but ended with %s."
              .formatted(reply.rpcName(), words(codes), shown(reply)));
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

  // ---- the verdict

  /** Fails the case unless {@code holds}. */
  void check(boolean holds, String expected, String got) {
    if (!holds) {
      throw CaseEndedException.failed(expected, got);
    }
  }

  /**
   * Fails the case unless {@code holds}. {@code expected} describes the expected behaviour of the
   * call, and begins with a verb.
   */
  void check(boolean holds, Reply reply, String expected) {
    check(holds, reply.rpcName() + " " + expected, shown(reply));
  }

  /**
   * Fails the case unless {@code size} is at least {@code least}. A size of 0 is accepted, because
   * it means that the plugin does not report the size.
   */
  void checkSize(long size, long least) {
    check(size == 0 || size >= least, "at least " + least + " bytes, or 0", size + " bytes");
  }

  /**
   * Fails the case unless both texts are equal. In the message, {@code what} precedes each text.
   */
  void checkSame(String what, String expected, String got) {
    check(expected.equals(got), what + SafeText.quote(expected), what + SafeText.quote(got));
  }

  /** Records advice: behaviour that the spec allows, but that a plugin should avoid. */
  void advise(String what) {
    advice.add(what);
  }

  /**
   * Records advice if a text is longer than the spec allows. This is only advice, because some
   * well-known plugins return such texts.
   */
  void adviseSize(String field, String text) {
    adviseSize(field, SafeText.utf8Length(text), FieldLimits.TEXT);
  }

  /** Records advice if a map is larger than the spec allows. */
  void adviseSize(String field, Map<String, String> map) {
    adviseSize(field, SafeText.utf8Length(map), FieldLimits.MAP);
  }

  private void adviseSize(String field, long bytes, int most) {
    if (bytes > most) {
      advise(field + " has " + bytes + " bytes, more than the " + most + " of the spec.");
    }
  }

  List<String> advice() {
    return advice;
  }

  CallLog calls() {
    return calls;
  }

  TrialLeftovers leftovers() {
    return leftovers;
  }

  /**
   * Updates the ledger of the run with the objects of this case. Called before and after each call.
   */
  void remember() {
    run.remember();
  }

  /** Returns whether the plugin does not answer any more, so that no effect can be undone. */
  boolean isSilent(Message request, Reply reply) {
    return run.presence().isSilent(reply, socket(request));
  }

  /** Returns the number of mounts that this process sees at a path of the plugin. */
  int mountsAt(String atPlugin) {
    return SeenMounts.at(paths.here(atPlugin));
  }

  /** Undoes the effects of the case, newest first, and returns the effects that remain. */
  List<String> cleanUp() {
    List<String> left = new ArrayList<>();
    leftovers.undo().forEach(each -> left.add(run.named(each)));
    left.addAll(paths.remove());
    return left;
  }
}
