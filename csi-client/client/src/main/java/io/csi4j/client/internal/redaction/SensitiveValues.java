package io.csi4j.client.internal.redaction;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The sensitive values that were recently sent over one connection. They are remembered only to
 * remove them from the plugin's texts.
 *
 * <p>This class keeps the newest 128 messages that can contain sensitive values, at most 1.25 MiB
 * in total. It keeps them unchanged, because every call adds a message, but only a failure searches
 * them. A larger request is kept while it is the newest message; a large answer is not kept. Values
 * of fewer than six characters are ignored, because removing every "true" would make texts
 * unreadable. Thread-safe.
 */
public final class SensitiveValues {

  private static final int MESSAGES_LIMIT = 128;
  private static final int BYTES_LIMIT = 5 << 18;
  private static final int ANSWER_LIMIT = 64 << 10;
  private static final int VALUES_LIMIT = 4096;
  private static final int CHARACTERS_LIMIT = 1 << 20;
  private static final int LEAST_LENGTH = 6;

  private final ReentrantLock lock = new ReentrantLock();

  /** The messages, newest first. Guarded by the lock. */
  private final Deque<Message> messages = new ArrayDeque<>();

  /** Total size of the kept messages, in bytes on the wire. Guarded by the lock. */
  private long bytes;

  /** Remembers a message sent to the plugin, if it can contain sensitive values. */
  public void remember(Message message) {
    if (SpecFields.canBeSensitive(message.getDescriptorForType())) {
      keep(message);
    }
  }

  /**
   * Remembers a message received from the plugin, if it can contain sensitive values. Ignores a
   * message that is so large that it would displace all sent messages.
   */
  public void rememberAnswer(Message message) {
    if (SpecFields.canBeSensitive(message.getDescriptorForType())
        && message.getSerializedSize() <= ANSWER_LIMIT) {
      keep(message);
    }
  }

  private void keep(Message message) {
    lock.lock();
    try {
      messages.addFirst(message);
      // Protobuf caches the size, and needs it anyway to send the message.
      bytes += message.getSerializedSize();
      while (messages.size() > MESSAGES_LIMIT || (bytes > BYTES_LIMIT && messages.size() > 1)) {
        bytes -= messages.removeLast().getSerializedSize();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Forgets all messages. */
  public void clear() {
    lock.lock();
    try {
      messages.clear();
      bytes = 0;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns {@code foreignText} without the remembered values, as one printable line of at most 1
   * KiB.
   */
  public String scrub(String foreignText) {
    return scrubber().apply(foreignText);
  }

  /**
   * Like {@link #scrub(String)}, but first removes the values of {@code own}, however old that
   * message is.
   */
  public String scrub(String foreignText, Message own) {
    return scrubber(own).apply(foreignText);
  }

  /**
   * Returns a function like {@link #scrub} for the texts of one answer, which may be many. The
   * function removes the values that are remembered at its first use. Not thread-safe.
   */
  public UnaryOperator<String> scrubber() {
    return scrubberOf(this::snapshot);
  }

  /**
   * Like {@link #scrubber()}, but first removes the values of {@code own}, however old that message
   * is.
   */
  public UnaryOperator<String> scrubber(Message own) {
    return scrubberOf(
        () -> {
          List<Message> kept = new ArrayList<>();
          kept.add(own);
          kept.addAll(newestFirst());
          return valuesOf(kept);
        });
  }

  private static UnaryOperator<String> scrubberOf(Supplier<List<String>> values) {
    return new UnaryOperator<>() {
      private @Nullable UnaryOperator<String> ready;

      @Override
      public String apply(String foreignText) {
        if (foreignText.isEmpty()) {
          return foreignText;
        }
        UnaryOperator<String> scrubber = ready == null ? Scrubber.of(values.get()) : ready;
        ready = scrubber;
        return scrubber.apply(foreignText);
      }
    };
  }

  /** Returns the remembered values, beginning with the values of the newest message. */
  public List<String> snapshot() {
    return valuesOf(newestFirst());
  }

  /** Returns the sensitive values of a message. */
  public static List<String> of(Message message) {
    return valuesOf(List.of(message));
  }

  private static List<String> valuesOf(List<Message> kept) {
    Set<String> values = new LinkedHashSet<>();
    int characters = 0;
    for (Message message : kept) {
      List<String> found = new ArrayList<>();
      collect(message, found);
      for (String value : found) {
        characters += values.add(value) ? value.length() : 0;
      }
      if (values.size() >= VALUES_LIMIT || characters >= CHARACTERS_LIMIT) {
        break;
      }
    }
    return List.copyOf(values);
  }

  private List<Message> newestFirst() {
    lock.lock();
    try {
      return List.copyOf(messages);
    } finally {
      lock.unlock();
    }
  }

  private static void collect(Message message, List<String> found) {
    for (Map.Entry<FieldDescriptor, Object> entry : message.getAllFields().entrySet()) {
      FieldDescriptor field = entry.getKey();
      if (field.isMapField()) {
        if (SpecFields.isSensitive(field)) {
          SpecFields.map(message, field).values().forEach(value -> add(value, found));
        }
        continue;
      }
      Collection<?> elements =
          entry.getValue() instanceof List<?> list ? list : List.of(entry.getValue());
      for (Object element : elements) {
        if (element instanceof Message inner) {
          collect(inner, found);
        } else if (element instanceof String text && SpecFields.isSensitive(field)) {
          add(text, found);
          if (field.getName().equals("mount_flags")) {
            flag(text, found);
          }
        }
      }
    }
  }

  /**
   * Collects each value of a flag such as {@code username=a,password=b}, because programs often
   * print only one of the values.
   */
  private static void flag(String flag, List<String> found) {
    add(flag.substring(flag.indexOf('=') + 1), found);
    if (flag.indexOf(',') >= 0) {
      for (String part : flag.split(",", -1)) {
        add(part, found);
        add(part.substring(part.indexOf('=') + 1), found);
      }
    }
  }

  private static void add(String value, List<String> found) {
    // A value from a file may end with a line break, and plugins often trim it.
    String stripped = value.strip();
    if (stripped.length() >= LEAST_LENGTH) {
      found.add(stripped);
    }
  }
}
