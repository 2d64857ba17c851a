package io.csi4j.micrometer;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Values of the tag {@code plugin}: names of plugins, up to a maximum. All further plugins share
 * one value, so that the number of time series stays bounded.
 */
final class PluginTags {

  /** Value for plugins beyond the maximum. */
  static final String OTHER = "other";

  /** Value for a plugin that has not reported its name yet. */
  static final String UNKNOWN = "unknown";

  private final int most;
  private final Set<String> known = ConcurrentHashMap.newKeySet();
  private final ReentrantLock adding = new ReentrantLock();

  PluginTags(int most) {
    this.most = most;
  }

  /** Returns the value for a plugin; always the same for the same name. */
  String of(String name) {
    if (known.contains(name)) {
      return name;
    }
    adding.lock();
    try {
      return known.contains(name) || (known.size() < most && known.add(name)) ? name : OTHER;
    } finally {
      adding.unlock();
    }
  }
}
