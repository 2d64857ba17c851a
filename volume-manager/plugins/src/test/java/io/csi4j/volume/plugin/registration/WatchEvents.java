package io.csi4j.volume.plugin.registration;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Everything that a watch told, as lines. */
final class WatchEvents implements RegistrationWatch.Listener {

  private static final long PATIENCE = TimeUnit.SECONDS.toNanos(30);

  private final List<RegistrationWatch.Event> all = new CopyOnWriteArrayList<>();

  @Override
  public void on(RegistrationWatch.Event event) {
    all.add(event);
  }

  /** Each in short: what happened, and to which socket. */
  List<String> shown() {
    return all.stream().map(WatchEvents::shown).toList();
  }

  private static String shown(RegistrationWatch.Event event) {
    String socket = String.valueOf(event.socket().getFileName());
    if (event instanceof RegistrationWatch.Event.Registered registered) {
      return (registered.update() ? "update " : "registered ")
          + registered.announcement().name()
          + " by "
          + socket;
    }
    if (event instanceof RegistrationWatch.Event.Deregistered gone) {
      return "deregistered " + gone.announcement().name() + " by " + socket;
    }
    return ((RegistrationWatch.Event.Noticed) event).message().code() + " of " + socket;
  }

  /** The messages with this code. */
  List<OperatorMessage> messages(OperatorCode code) {
    return all.stream()
        .filter(RegistrationWatch.Event.Noticed.class::isInstance)
        .map(event -> ((RegistrationWatch.Event.Noticed) event).message())
        .filter(message -> message.code() == code)
        .toList();
  }

  /** Waits until exactly these were told. */
  void await(String... expected) {
    until(() -> all.size() >= expected.length);
    assertThat(shown()).containsExactly(expected);
  }

  /** Returns once it is so. */
  static void until(BooleanSupplier condition) {
    long end = System.nanoTime() + PATIENCE;
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - end).as("nanoseconds that are left").isNegative();
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
    }
  }
}
