package io.csi4j.volume.internal.events;

import io.csi4j.volume.model.OperatorMessage;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/** The newest messages that operators were told, for a report. */
public final class RecentMessages {

  /** So many messages are kept. */
  static final int MOST = 200;

  /** Guards the messages. */
  private final ReentrantLock lock = new ReentrantLock();

  private final Deque<Told> messages = new ArrayDeque<>();

  /**
   * A message, and when it was told.
   *
   * @param at the moment
   * @param message the message
   */
  public record Told(Instant at, OperatorMessage message) {}

  RecentMessages() {}

  /** Adds a message; of more than are kept, the oldest is forgotten. */
  void add(Told told) {
    lock.lock();
    try {
      if (messages.size() == MOST) {
        messages.removeFirst();
      }
      messages.addLast(told);
    } finally {
      lock.unlock();
    }
  }

  /** Returns the messages that are kept, the oldest first. */
  List<Told> all() {
    lock.lock();
    try {
      return List.copyOf(messages);
    } finally {
      lock.unlock();
    }
  }
}
