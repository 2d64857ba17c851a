package io.csi4j.mount.internal.change;

import io.csi4j.mount.model.MountException;
import java.util.function.Function;
import java.util.function.Supplier;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/**
 * One change of the mounts, for the flight recorder. Contains no options, and therefore no secret.
 */
@Name("io.csi4j.MountCall")
@Label("Mount Call")
@Category({"csi4j", "Mounts"})
@Description("One change of the mounts that was asked for")
@StackTrace(false)
@SuppressWarnings("unused") // the fields are read by the flight recorder
final class MountCallEvent extends Event {

  @Label("Operation")
  String operation = "";

  @Label("Source")
  String source = "";

  @Label("Target")
  String target = "";

  @Label("Outcome")
  String outcome = "";

  /**
   * Does the work, and records it as one event if the flight recorder is on.
   *
   * @param operation the work, such as {@code bind}
   * @param source the source of the mount, or null
   * @param target the target, in a form for people
   * @param outcome describes the result
   */
  static <T> T around(
      String operation,
      Object source,
      Object target,
      Function<T, String> outcome,
      Supplier<T> work) {
    MountCallEvent event = new MountCallEvent();
    if (!event.isEnabled()) {
      return work.get();
    }
    event.begin();
    String how = "FAILED";
    try {
      T result = work.get();
      how = outcome.apply(result);
      return result;
    } catch (MountException e) {
      how = e.reason().name();
      throw e;
    } finally {
      event.end();
      if (event.shouldCommit()) {
        event.operation = operation;
        event.source = source.toString();
        event.target = target.toString();
        event.outcome = how;
        event.commit();
      }
    }
  }
}
