package io.csi4j.volume.powercut;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The history of a disk, and of what a host was told meanwhile, in one order: a word comes after
 * all writes that the disk had before the host was told. Safe for many threads.
 */
final class DiskLog {

  /** One thing that happened. */
  sealed interface Entry {

    /** Bytes that the disk was given. It may keep them, or parts of them, from then on. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Write(long position, byte[] bytes) implements Entry {}

    /** A flush: the disk keeps all that it was given before. */
    record Flush() implements Entry {}

    /** What a host began, or was told. */
    record Said(Word word) implements Entry {}
  }

  private final ReentrantLock lock = new ReentrantLock();
  private final List<Entry> entries = new ArrayList<>();
  private boolean ended;

  void add(Entry entry) {
    lock.lock();
    try {
      if (!ended) {
        entries.add(entry);
      }
    } finally {
      lock.unlock();
    }
  }

  void say(Word word) {
    add(new Entry.Said(word));
  }

  /** How many entries there are. */
  int size() {
    lock.lock();
    try {
      return entries.size();
    } finally {
      lock.unlock();
    }
  }

  /** Ends it: what happens from now on is not logged. */
  List<Entry> end() {
    lock.lock();
    try {
      ended = true;
      return List.copyOf(entries);
    } finally {
      lock.unlock();
    }
  }
}
