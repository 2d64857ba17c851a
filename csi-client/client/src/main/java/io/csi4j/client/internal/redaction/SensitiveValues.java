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
 * The sensitive values that went over one connection lately, remembered only to take them out of
 * what the plugin says.
 *
 * <p>The newest 128 messages that can hold any are kept as they are, of 1.25 MiB together at the
 * most, since remembering happens on every call and looking into them only on failures. A larger
 * request is kept while it is the newest, and a large answer not at all. Values of fewer than six
 * characters are ignored: taking out every "true" would make texts unreadable. Thread-safe.
 */
public final class SensitiveValues {

  private static final int MESSAGES_LIMIT = 128;
  private static final int BYTES_LIMIT = 5 << 18;
  private static final int ANSWER_LIMIT = 64 << 10;
  private static final int VALUES_LIMIT = 4096;
  private static final int CHARACTERS_LIMIT = 1 << 20;
  private static final int LEAST_LENGTH = 6;

  private final ReentrantLock lock = new ReentrantLock();

  /** Newest first. Guarded by the lock. */
  private final Deque<Message> messages = new ArrayDeque<>();

  /** The sizes of the messages on the wire. Guarded by the lock. */
  private long bytes;

  /** Remembers what is sent to the plugin, if it can hold something sensitive. */
  public void remember(Message message) {
    if (SpecFields.canBeSensitive(message.getDescriptorForType())) {
      keep(message);
    }
  }

  /**
   * Remembers what came from the plugin, if it can hold something sensitive: unless it is so large
   * that it would take the place of all that was sent.
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
      // Protobuf keeps the size; it is needed for sending anyway.
      bytes += message.getSerializedSize();
      while (messages.size() > MESSAGES_LIMIT || (bytes > BYTES_LIMIT && messages.size() > 1)) {
        bytes -= messages.removeLast().getSerializedSize();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Forgets everything. */
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
   * {@code foreignText} without the remembered values, as one printable line of 1 KiB at the most.
   */
  public String scrub(String foreignText) {
    return scrubber().apply(foreignText);
  }

  /** {@link #scrub(String)}, whose first concern is what {@code own} holds, however old it is. */
  public String scrub(String foreignText, Message own) {
    return scrubber(own).apply(foreignText);
  }

  /**
   * {@link #scrub} with the values that are remembered when it is first needed; for the texts of
   * one answer, of which there may be many. Used by one thread.
   */
  public UnaryOperator<String> scrubber() {
    return scrubberOf(this::snapshot);
  }

  /** {@link #scrubber()}, whose first concern is what {@code own} holds, however old it is. */
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

  /** The remembered values, those of the newest message first. */
  public List<String> snapshot() {
    return valuesOf(newestFirst());
  }

  /** The values that a message holds. */
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

  /** A flag such as {@code username=a,password=b}: what is told of is often one value only. */
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
    // Plugins trim what came out of a file with a line end.
    String stripped = value.strip();
    if (stripped.length() >= LEAST_LENGTH) {
      found.add(stripped);
    }
  }
}
