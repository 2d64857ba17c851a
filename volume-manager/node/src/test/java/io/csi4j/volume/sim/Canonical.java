package io.csi4j.volume.sim;

import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.engine.EngineParts;
import io.csi4j.volume.internal.fields.MalformedRecordException;
import io.csi4j.volume.internal.record.Evidence;
import io.csi4j.volume.internal.record.Pending;
import io.csi4j.volume.internal.record.Place;
import io.csi4j.volume.internal.record.RecordCodec;
import io.csi4j.volume.state.StateKey;
import io.csi4j.volume.state.StateValue;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;

/**
 * An exact description of a world between two processes of the host, where the memory of the engine
 * is gone: worlds with the same description go on in the same ways.
 *
 * <p>It follows every field of every object that can be reached from the world, so that a new field
 * is in it without being named; {@link Omissions} names those that are not. Moments are told
 * relative to now, and numbers that are only names are counted in the order in which they are met.
 * An object of a kind that it does not know is an error.
 */
final class Canonical {

  /** A description in 128 bits. */
  record Key(long high, long low) {}

  /** Something was met that cannot be described. */
  static final class Indescribable extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Indescribable(String what) {
      super("Nobody has said how to describe " + what, null, false, false);
    }
  }

  private static final Comparator<Key> ORDER =
      Comparator.comparingLong(Key::high).thenComparingLong(Key::low);

  private static final ClassValue<Plan> PLANS =
      new ClassValue<>() {
        @Override
        protected Plan computeValue(Class<?> type) {
          return Plan.of(type);
        }
      };

  /** How the objects of a class are described. */
  private record Plan(long name, List<Part> parts, boolean isValue, Field moment) {

    /** One field, and what it is called. */
    record Part(
        Field field,
        String name,
        long hash,
        boolean ofProcess,
        boolean endsWithIt,
        boolean isName) {}

    static Plan of(Class<?> type) {
      if (!type.getName().startsWith("io.csi4j.")) {
        throw new Indescribable("a " + type.getName());
      }
      List<Part> parts = new ArrayList<>();
      Field moment = null;
      for (Class<?> at = type; at != Object.class; at = at.getSuperclass()) {
        for (Field field : at.getDeclaredFields()) {
          String name = Omissions.name(field);
          if (Omissions.MOMENTS.contains(name)) {
            field.setAccessible(true);
            moment = field;
          }
          if (!Modifier.isStatic(field.getModifiers())
              && !Lock.class.isAssignableFrom(field.getType())
              && !Omissions.ALWAYS.containsKey(name)) {
            field.setAccessible(true);
            parts.add(
                new Part(
                    field,
                    name,
                    hash(name),
                    Omissions.OF_THE_DEAD.containsKey(name),
                    Omissions.OF_THE_DYING.containsKey(name),
                    Omissions.NAMES.contains(name)));
          }
        }
      }
      return new Plan(
          hash(type.getName()),
          List.copyOf(parts),
          type != EngineParts.class && (type.isRecord() || isValue(type)),
          moment);
    }

    private static boolean isValue(Class<?> type) {
      try {
        return type.getMethod("equals", Object.class).getDeclaringClass() != Object.class;
      } catch (NoSuchMethodException e) {
        throw new IllegalStateException(e);
      }
    }

    private static long hash(String text) {
      long sum = 1125899906842597L;
      for (int at = 0; at < text.length(); at++) {
        sum = 31 * sum + text.charAt(at);
      }
      return sum;
    }
  }

  private final Set<String> without;
  private final StringBuilder words;
  private final long now;
  private final boolean alive;

  /** Whether what ends with the process is still there. */
  private final boolean dying;

  private final IdentityHashMap<Object, Integer> met = new IdentityHashMap<>();
  private final Map<String, Integer> names = new HashMap<>();
  private boolean unordered;

  /** Whether what is visited now is a name, or a map of names. */
  private boolean areNames;

  private long high = 0x9E3779B97F4A7C15L;
  private long low = 0xC2B2AE3D27D4EB4FL;

  private Canonical(World world, boolean alive, Set<String> without, StringBuilder words) {
    this.without = without;
    this.words = words;
    this.alive = alive;
    now = world.time().nanos();
    dying = !alive && !world.host().life().isDead();
  }

  private static boolean isAlive(World world) {
    return !world.host().life().isDead();
  }

  /** The description of a world in which no process lives. */
  static Key of(World world) {
    return of(world, Set.of());
  }

  /** The same with some fields left out, which is wrong: it shows what they are good for. */
  static Key of(World world, Set<String> without) {
    Canonical walk = new Canonical(world, isAlive(world), without, null);
    walk.visit(world);
    return new Key(walk.high, walk.low);
  }

  /**
   * What a crash in this world would leave: without all that ends with the process.
   *
   * @param what what is to be decided beside the kind of crash
   */
  static Key ofCrash(World world, Object what, Set<String> without) {
    Canonical walk = new Canonical(world, false, without, null);
    walk.tell(5);
    walk.visit(what);
    walk.visit(world);
    return new Key(walk.high, walk.low);
  }

  /** The description in words, for people. */
  static String text(World world) {
    StringBuilder words = new StringBuilder();
    new Canonical(world, isAlive(world), Set.of(), words).visit(world);
    return words.toString();
  }

  // ---- what is told

  private void tell(long value) {
    high = mix(high ^ value);
    low = mix(low + value * 0xD6E8FEB86659FD93L);
    if (words != null) {
      words.append(' ').append(value);
    }
  }

  private static long mix(long value) {
    long mixed = (value ^ (value >>> 32)) * 0xD6E8FEB86659FD93L;
    mixed = (mixed ^ (mixed >>> 29)) * 0x9FB21C651E98DF25L;
    return mixed ^ (mixed >>> 32);
  }

  private void tell(String text) {
    int length = text.length();
    long chunk = length;
    for (int at = 0; at < length; at++) {
      chunk = chunk << 16 | text.charAt(at);
      if ((at & 3) == 3) {
        high = mix(high ^ chunk);
        low = mix(low + chunk * 0xD6E8FEB86659FD93L);
        chunk = 0;
      }
    }
    high = mix(high ^ chunk);
    low = mix(low + chunk * 0xD6E8FEB86659FD93L);
    high = mix(high ^ length);
    low = mix(low + length);
    if (words != null) {
      words.append(" '").append(text).append('\'');
    }
  }

  /** A name of which only matters where else it is used. */
  private void rename(String name) {
    if (name.isEmpty()) {
      tell(-1);
      return;
    }
    Integer number = names.get(name);
    if (number == null) {
      if (unordered) {
        throw new Indescribable("a name in no order");
      }
      number = names.size();
      names.put(name, number);
    }
    tell(number);
  }

  // ---- the walk

  private void visit(Object it) {
    if (it == null) {
      tell(1);
    } else if (it instanceof String text) {
      tell(text);
    } else if (it instanceof Boolean flag) {
      tell(flag ? 2 : 3);
    } else if (it instanceof Number number) {
      tell(number instanceof Double real ? Double.doubleToLongBits(real) : number.longValue());
    } else if (it instanceof Enum<?> constant) {
      tell(constant.name());
    } else if (it instanceof Path || it instanceof MountPath) {
      tell(it.toString());
    } else if (it instanceof Duration time) {
      tell(time.toNanos());
    } else if (it instanceof CompletableFuture<?> future) {
      if (!future.isDone() || future.isCompletedExceptionally()) {
        throw new Indescribable("what somebody waits for");
      }
      visit(future.join());
    } else if (it instanceof byte[] bytes) {
      tell(bytes.length);
      for (byte one : bytes) {
        tell(one);
      }
    } else if (it instanceof OptionalLong maybe) {
      tell(maybe.isPresent() ? 1 : 0);
      tell(maybe.orElse(0));
    } else if (it instanceof Optional<?> maybe) {
      tell(4);
      visit(maybe.orElse(null));
    } else if (it instanceof Collection<?> all) {
      collection(all);
    } else if (it instanceof Map<?, ?> all) {
      map(all);
    } else if (it.getClass().isArray()) {
      tell(Array.getLength(it));
      for (int at = 0; at < Array.getLength(it); at++) {
        visit(Array.get(it, at));
      }
    } else {
      object(it);
    }
  }

  private void collection(Collection<?> all) {
    tell(all.size());
    if (!(all instanceof List || all instanceof Set || all instanceof Deque)) {
      throw new Indescribable("a " + all.getClass());
    }
    if (all instanceof List
        || all instanceof Deque
        || all instanceof SortedSet
        || all instanceof LinkedHashSet
        || all.size() <= 1) {
      all.forEach(this::visit);
    } else {
      inNoOrder(all, this::visit);
    }
  }

  private void map(Map<?, ?> all) {
    tell(all.size());
    if (all instanceof SortedMap || all instanceof LinkedHashMap || all.size() <= 1) {
      all.forEach(this::entry);
    } else {
      inOrderOfKeys(all);
    }
  }

  /** In the order of what is told of their keys, so that the values may be in need of an order. */
  private void inOrderOfKeys(Map<?, ?> all) {
    SortedMap<Key, Object> keys = new TreeMap<>(ORDER);
    for (Object key : all.keySet()) {
      inNoOrder(
          List.of(key),
          it -> {
            visit(it);
            keys.put(new Key(high, low), it);
          });
    }
    if (keys.size() != all.size()) {
      throw new Indescribable("keys that look alike");
    }
    keys.values().forEach(key -> entry(key, all.get(key)));
  }

  private void entry(Object key, Object value) {
    visit(key);
    if (key instanceof StateKey name && value instanceof StateValue bytes) {
      record(name, bytes);
    } else if (areNames && value instanceof String name) {
      rename(name);
    } else {
      visit(value);
    }
  }

  /** Adds up what is told of each, so that their order does not matter. */
  private <T> void inNoOrder(Collection<T> all, java.util.function.Consumer<T> visitor) {
    boolean before = unordered;
    long highBefore = high;
    long lowBefore = low;
    long highSum = 0;
    long lowSum = 0;
    unordered = true;
    for (T one : all) {
      high = 17;
      low = 19;
      visitor.accept(one);
      highSum += mix(high);
      lowSum += mix(low);
    }
    unordered = before;
    high = highBefore;
    low = lowBefore;
    tell(highSum);
    tell(lowSum);
  }

  /** A record is told by what is in it, as names are in it. */
  private void record(StateKey key, StateValue bytes) {
    try {
      if (key.kind() == StateKey.Kind.VOLUME) {
        visit(RecordCodec.decodeVolume(bytes));
      } else if (key.kind() == StateKey.Kind.TOMBSTONE) {
        visit(RecordCodec.decodeTombstone(bytes));
      } else {
        visit(bytes.bytes());
      }
    } catch (MalformedRecordException e) {
      visit(bytes.bytes());
    }
  }

  private void object(Object it) {
    Plan plan = PLANS.get(it.getClass());
    tell(plan.name());
    if (!plan.isValue()) {
      Integer number = met.get(it);
      if (number != null) {
        tell(number);
        return;
      }
      if (unordered) {
        throw new Indescribable("something that changes in no order");
      }
      met.put(it, met.size());
    }
    if (it instanceof SimTime time) {
      visit(alive ? time.waiting() : time.waitingWithout());
    } else if (it instanceof SimTime.Item item) {
      tell(item.due() - now);
    } else if (it instanceof World world && alive) {
      visit(world.host().engine());
    } else if (it instanceof SimKernel.Mount mount) {
      rename(mount.ref());
    } else if (it instanceof SimKernel kernel) {
      rename(kernel.place().boot());
      rename("namespace " + kernel.place().mountNamespace());
    } else if (it instanceof SimPlugin plugin) {
      rename(plugin.instance());
    } else if (it instanceof SimPlugin.Late late) {
      tell(late.begun() - now);
    } else if (it instanceof Place place) {
      rename(place.boot());
      rename("namespace " + place.mountNamespace());
    } else if (it instanceof Pending pending) {
      rename(pending.instance());
    } else if (plan.moment() != null) {
      tell((long) read(plan.moment(), it) - now);
    } else if (it instanceof Evidence evidence) {
      rename(evidence.ref());
    }
    for (Plan.Part part : plan.parts()) {
      if ((alive || !part.ofProcess())
          && !(dying && part.endsWithIt())
          && (without.isEmpty() || !without.contains(part.name()))) {
        if (words != null) {
          words.append('\n').append(part.name());
        }
        tell(part.hash());
        Object value = read(part.field(), it);
        if (!part.isName()) {
          visit(value);
        } else if (value instanceof String name) {
          rename(name);
        } else {
          areNames = true;
          visit(value);
          areNames = false;
        }
      }
    }
  }

  private static Object read(Field field, Object of) {
    try {
      return field.get(of);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }
}
