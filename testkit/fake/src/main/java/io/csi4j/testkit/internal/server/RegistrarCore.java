package io.csi4j.testkit.internal.server;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.csi4j.client.internal.proto.PluginInfo;
import io.csi4j.client.internal.proto.RegistrationStatus;
import io.csi4j.client.internal.proto.RegistrationStatusResponse;
import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.registration.PluginRegistrar;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.Fault.WrongAnswer;
import io.csi4j.testkit.journal.CallEnd;
import io.csi4j.testkit.model.PluginClock;
import io.csi4j.testkit.model.RegistrationCall;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A registrar with its announcement, its recorded notifications and its faults. */
public final class RegistrarCore extends TestServer {

  private static final String SERVICE = "/pluginregistration.Registration/";
  private static final int UNIMPLEMENTED = 12;

  private final boolean endsWhenRefused;
  private final Map<RegistrationCall, Due> faults = new ConcurrentHashMap<>();
  private final AtomicInteger asked = new AtomicInteger();
  private final List<PluginRegistrar.Outcome> told = new CopyOnWriteArrayList<>();
  private final List<String> authorities = new CopyOnWriteArrayList<>();
  private volatile PluginInfo info = PluginInfo.getDefaultInstance();

  /** A fault, and the number of further calls on which it acts. */
  private record Due(Fault fault, AtomicInteger left) {}

  public RegistrarCore(Path socket, @Nullable PluginClock given, boolean endsWhenRefused) {
    super("test registrar", "csi4j-testkit-registrar", given, CallThreads.WORKERS);
    this.endsWhenRefused = endsWhenRefused;
    site(new SocketSite(socket, Set.of(), null));
  }

  @Override
  protected void listen() throws IOException {
    listenAt(sites(), this::enter);
  }

  /** Sets the announcement that callers get from now on. */
  public void announce(String type, String name, String endpoint, List<String> versions) {
    info =
        PluginInfo.newBuilder()
            .setType(type)
            .setName(name)
            .setEndpoint(endpoint)
            .addAllSupportedVersions(versions)
            .build();
  }

  /** Injects a fault into the next {@code times} calls. */
  public void inject(RegistrationCall call, Fault fault, int times) {
    if (fault.steps().stream().anyMatch(Fault.TestAnswer.class::isInstance)) {
      throw new IllegalArgumentException(
          "A registrar has no plugin answers to give or change. Use announce(...) to announce"
              + " something else.");
    }
    if (fault.steps().stream()
        .anyMatch(step -> step instanceof Fault.Answer wrong && !suits(wrong.wrong()))) {
      throw new IllegalArgumentException(
          "A registrar has no ids and no pages to answer wrongly. Choose another wrong answer.");
    }
    faults.put(call, new Due(fault, new AtomicInteger(times)));
  }

  private static boolean suits(WrongAnswer wrong) {
    return wrong != WrongAnswer.OTHER_ID && wrong != WrongAnswer.LOOPING_PAGE;
  }

  public void clearFaults() {
    faults.clear();
  }

  public int asked() {
    return asked.get();
  }

  public List<PluginRegistrar.Outcome> told() {
    return List.copyOf(told);
  }

  public List<String> authorities() {
    return List.copyOf(authorities);
  }

  @Override
  public String toString() {
    return "the registrar at " + SafeText.quote(sites().get(0).socket().toString());
  }

  private void enter(
      SocketSite site, String path, SentHeaders sent, byte[] message, CallStream caller) {
    authorities.add(sent.authority());
    if (path.equals(SERVICE + RegistrationCall.GET_INFO.rpcName())) {
      go(RegistrationCall.GET_INFO, Optional.empty(), caller);
    } else if (path.equals(SERVICE + RegistrationCall.NOTIFY_REGISTRATION_STATUS.rpcName())) {
      try {
        RegistrationStatus status = RegistrationStatus.parseFrom(message);
        PluginRegistrar.Outcome heard =
            new PluginRegistrar.Outcome(status.getPluginRegistered(), status.getError());
        go(RegistrationCall.NOTIFY_REGISTRATION_STATUS, Optional.of(heard), caller);
      } catch (InvalidProtocolBufferException | IllegalArgumentException e) {
        caller.fail(FaultedCall.INTERNAL, "The registration status is invalid: " + e.getMessage());
      }
    } else {
      caller.fail(UNIMPLEMENTED, "There is no method " + SafeText.quote(path));
    }
  }

  private void go(
      RegistrationCall call, Optional<PluginRegistrar.Outcome> heard, CallStream caller) {
    Due due = faults.get(call);
    List<Fault> steps =
        due == null || due.left.getAndDecrement() <= 0 ? List.of() : due.fault.steps();
    Run run = new Run(call, heard, steps, caller);
    came(run);
    workers()
        .execute(
            () -> {
              // The worker thread increments the counter. A thread that sees the new count
              // therefore also sees that the worker is busy, and can wait for it.
              if (call == RegistrationCall.GET_INFO) {
                asked.incrementAndGet();
              }
              run.begin();
            });
  }

  /** A call to a registrar. The work of a notification is to record the reported outcome. */
  private final class Run extends FaultedCall {
    private final RegistrationCall call;
    private final Optional<PluginRegistrar.Outcome> heard;
    private final AtomicBoolean noted = new AtomicBoolean();

    Run(
        RegistrationCall call,
        Optional<PluginRegistrar.Outcome> heard,
        List<Fault> steps,
        CallStream caller) {
      super(
          RegistrarCore.this,
          call.rpcName(),
          RegistrationStatus.getDefaultInstance(),
          RegistrationStatusResponse.getDefaultInstance(),
          steps,
          caller);
      this.call = call;
      this.heard = heard;
    }

    @Override
    protected void work(Doing how, Message asked, Runnable then) {
      boolean first = noted.compareAndSet(false, true);
      if (first || how == Doing.AGAIN) {
        heard.ifPresent(told::add);
      }
      then.run();
    }

    @Override
    protected Optional<List<Message>> messages() {
      return Optional.of(
          List.of(
              call == RegistrationCall.GET_INFO
                  ? info
                  : RegistrationStatusResponse.getDefaultInstance()));
    }

    @Override
    protected void tell() {
      answer(messages().orElseThrow());
    }

    /**
     * A registrar of Kubernetes exits immediately when its plugin is refused, without answering the
     * call.
     */
    @Override
    protected boolean ended(CallEnd end) {
      boolean exits =
          endsWhenRefused
              && end instanceof CallEnd.Answered
              && heard.filter(outcome -> !outcome.registered()).isPresent();
      if (exits) {
        workers().execute(this::stopServer);
      }
      return !exits;
    }
  }
}
