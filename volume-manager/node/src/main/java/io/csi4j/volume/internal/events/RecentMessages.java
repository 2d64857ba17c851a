package io.csi4j.volume.internal.events;

import io.csi4j.volume.model.OperatorMessage;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/** The latest messages to operators, which a bug report contains. */
public final class RecentMessages {

  /** Maximum number of messages that are kept. */
  static final int MOST = 200;

  /** Guards the messages. */
  private final ReentrantLock lock = new ReentrantLock();

  private final Deque<Told> messages = new ArrayDeque<>();

  /**
   * A message and its time.
   *
   * @param at the time at which the message was reported
   * @param message the message
   */
  public record Told(Instant at, OperatorMessage message) {}

  RecentMessages() {}

  /** Adds a message, and drops the oldest message if there are too many. */
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

  /** Returns the messages, the oldest first. */
  List<Told> all() {
    lock.lock();
    try {
      return List.copyOf(messages);
    } finally {
      lock.unlock();
    }
  }
}
