package io.csi4j.volume.plugin.launch;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/** The last lines that a process wrote. */
final class LastWords {

  /** As much as a message has room for beside its other parts. */
  private static final int IN_A_MESSAGE = 600;

  private final int most;
  private final Deque<String> lines = new ArrayDeque<>();
  private final ReentrantLock lock = new ReentrantLock();

  /**
   * No words yet.
   *
   * @param most how many lines are kept
   */
  LastWords(int most) {
    this.most = most;
  }

  void add(String line) {
    lock.lock();
    try {
      if (lines.size() == most) {
        lines.removeFirst();
      }
      lines.addLast(line);
    } finally {
      lock.unlock();
    }
  }

  /** The lines, the last one last. */
  List<String> lines() {
    lock.lock();
    try {
      return List.copyOf(lines);
    } finally {
      lock.unlock();
    }
  }

  /** As many of them as fit into a message, the last one in any case. */
  String text() {
    List<String> said = lines().stream().filter(line -> !line.isBlank()).toList();
    List<String> fit = new ArrayList<>();
    int length = 0;
    for (int i = said.size() - 1; i >= 0; i--) {
      length += said.get(i).length();
      if (length > IN_A_MESSAGE && !fit.isEmpty()) {
        break;
      }
      fit.add(0, said.get(i));
    }
    return String.join(" / ", fit);
  }
}
