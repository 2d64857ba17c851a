package io.csi4j.client.internal;

import io.csi4j.client.model.CsiListener;
import io.csi4j.client.model.Outcome;
import io.csi4j.client.model.PluginName;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/** A flight recorder event for one attempt of a call. Contains no id and no secret. */
@Name("io.csi4j.CsiCall")
@Label("CSI Call")
@Category({"csi4j", "CSI"})
@Description("One attempt of a call to a CSI plugin")
@StackTrace(false)
@SuppressWarnings("unused") // the fields are read by the flight recorder
final class CsiCallEvent extends Event {

  @Label("Operation")
  String operation = "";

  @Label("Plugin")
  String plugin = "";

  @Label("Endpoint")
  String endpoint = "";

  @Label("Attempt")
  int attempt;

  @Label("Code")
  String code = "";

  @Label("Outcome")
  String outcome = "";

  /** Commits the event of an attempt that has ended. */
  void finish(CsiListener.Ended ended) {
    end();
    if (shouldCommit()) {
      CsiListener.Started started = ended.started();
      operation = started.operation().rpcName();
      plugin = started.plugin().map(PluginName::value).orElse("");
      endpoint = started.endpoint().toString();
      attempt = started.attempt();
      code = ended.code().name();
      outcome = ended.outcome().map(Outcome::toString).orElse("");
      commit();
    }
  }

  /** Returns the beginning of an attempt, or null if none is recorded. */
  static @Nullable CsiCallEvent beginIfRecording() {
    // Creating the first event is slow, and no event is needed before a recording starts.
    if (!FlightRecorder.isInitialized()) {
      return null;
    }
    CsiCallEvent event = new CsiCallEvent();
    if (!event.isEnabled()) {
      return null;
    }
    event.begin();
    return event;
  }
}
