package io.csi4j.micrometer;

import io.csi4j.volume.controller.ControlPlaneStatus.Session;
import io.csi4j.volume.controller.ControllerEvent;
import io.csi4j.volume.model.OperatorMessage;
import java.util.Locale;
import java.util.Optional;

/** Measures the time of one control plane's operations, and counts its background events. */
final class ControllerMeters implements ControllerEvent.Listener {

  private final Meters meters;

  private ControllerMeters(Meters meters) {
    this.meters = meters;
  }

  /**
   * Creates the listener. This method is in this class, so that the entry point can be loaded
   * without the controller module.
   */
  static ControllerEvent.Listener listener(Meters meters) {
    return new ControllerMeters(meters);
  }

  @Override
  public void on(ControllerEvent event) {
    if (event instanceof ControllerEvent.Started) {
      meters.add(CsiMeter.CONTROLLER_OPEN, 1);
    } else if (event instanceof ControllerEvent.Ended ended) {
      meters.add(CsiMeter.CONTROLLER_OPEN, -1);
      meters.time(
          CsiMeter.CONTROLLER_OPERATIONS,
          ended.elapsed(),
          word(ended.started().operation().name()),
          code(ended.failure()));
    } else if (event instanceof ControllerEvent.Waited waited) {
      meters.time(CsiMeter.CONTROLLER_WAITS, waited.elapsed());
    } else if (event instanceof ControllerEvent.Attempted attempted) {
      meters.count(
          CsiMeter.ATTEMPTS_IN_BACKGROUND,
          word(attempted.operation().name()),
          word(attempted.outcome().name()),
          code(attempted.failure()));
    } else if (event instanceof ControllerEvent.TakenOver) {
      count("taken_over");
    } else if (event instanceof ControllerEvent.GivenUp) {
      count("given_up");
    } else if (event instanceof ControllerEvent.SessionChanged changed) {
      count(session(changed.session()));
    } else if (event instanceof ControllerEvent.StoreChanged changed) {
      count(changed.readOnly().isPresent() ? "store_read_only" : "store_writable");
    }
  }

  private void count(String event) {
    meters.count(CsiMeter.CONTROLLER_EVENTS, event);
  }

  private static String session(Session now) {
    return now.isTrouble() ? "session_" + word(now.name()) : "session_recovered";
  }

  /** Returns the code of a failure, or the code for success. */
  static String code(Optional<OperatorMessage> failure) {
    return failure.map(message -> message.code().name()).orElse(OperationMeters.OK);
  }

  /** Returns the tag value for the name of a constant. */
  static String word(String name) {
    return name.toLowerCase(Locale.ROOT);
  }
}
