package io.csi4j.client.scripted;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.controller.Snapshot;
import io.csi4j.client.metadata.BlockMetadataBatch;
import io.csi4j.client.metadata.MetadataStream;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.GroupSnapshotId;
import io.csi4j.client.model.MountFlags;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.PluginPath;
import io.csi4j.client.model.PublishContext;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.TopologyRequirement;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeContentSource;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Valid requests of every kind, with random contents, and a way to make every call by its name. */
public final class Samples {

  private static final List<AccessMode> MODES =
      Arrays.stream(AccessMode.values()).filter(AccessMode::isStated).toList();

  /** Letters and digits, and what quoting of any kind stumbles over. */
  private static final int[] NASTY =
      ("abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789+/=%'\"\\ &<>$`|;{}#~!*?[]:@^\t"
              + "\u00e9\u2603\ud83d\ude00")
          .codePoints()
          .toArray();

  private final Random random;
  private int counter;
  private int sensitiveLength = 24;
  private String suffix = "";
  private final List<String> sensitive = new ArrayList<>();

  /** Samples that are the same for the same seed. */
  public Samples(long seed) {
    this.random = new Random(seed);
  }

  /** The secrets, mount flags and context values that were put into requests so far. */
  public List<String> sensitive() {
    return List.copyOf(sensitive);
  }

  /** The public face of {@code operation}'s service. */
  public static Object face(CsiPlugin plugin, CsiOperation operation) {
    return switch (operation.service()) {
      case IDENTITY -> plugin.identity();
      case CONTROLLER -> plugin.controller();
      case NODE -> plugin.node();
      case GROUP_CONTROLLER -> plugin.groupController();
      case SNAPSHOT_METADATA -> plugin.snapshotMetadata();
    };
  }

  /** The public method of {@code operation} on a face, blocking or not. */
  public static Method method(Class<?> face, CsiOperation operation) {
    String prefix =
        switch (operation.service()) {
          case CONTROLLER -> "Controller";
          case NODE -> "Node";
          case GROUP_CONTROLLER -> "GroupController";
          case IDENTITY, SNAPSHOT_METADATA -> "";
        };
    String rpc = operation.rpcName();
    String stem = rpc.startsWith(prefix) ? rpc.substring(prefix.length()) : rpc;
    String name = stem.substring(0, 1).toLowerCase(Locale.ROOT) + stem.substring(1);
    return Arrays.stream(face.getMethods())
        .filter(method -> method.getName().equals(name))
        .findFirst()
        .orElseThrow(() -> new AssertionError(face.getSimpleName() + " has no method " + name));
  }

  /** The public interface of {@code operation}'s service. */
  public static Class<?> faceType(CsiOperation operation) {
    try {
      String name =
          switch (operation.service()) {
            case IDENTITY -> "identity";
            case CONTROLLER -> "controller";
            case NODE -> "node";
            case GROUP_CONTROLLER -> "groupController";
            case SNAPSHOT_METADATA -> "snapshotMetadata";
          };
      return CsiPlugin.class.getMethod(name).getReturnType();
    } catch (NoSuchMethodException e) {
      throw new AssertionError(e);
    }
  }

  /** The public request type of {@code operation}; nothing if it takes no arguments. */
  public static Optional<Class<?>> requestType(CsiOperation operation) {
    Class<?>[] parameters = method(faceType(operation), operation).getParameterTypes();
    return parameters.length == 0 ? Optional.empty() : Optional.of(parameters[0]);
  }

  /** A request of {@code operation}, with only what it needs, or with everything. */
  public @Nullable Object request(CsiOperation operation, boolean full) {
    Optional<Class<?>> type = requestType(operation);
    if (type.isEmpty()) {
      return null;
    }
    Object builder = builder(type.get());
    if (full) {
      setters(type.get()).forEach(setter -> set(builder, setter));
    }
    return build(builder);
  }

  /** A builder of {@code type}, with random values for what it cannot do without. */
  public Object builder(Class<?> type) {
    Method factory =
        Arrays.stream(type.getMethods())
            .filter(method -> method.getName().equals("builder"))
            .findFirst()
            .orElseThrow(() -> new AssertionError(type + " has no builder"));
    return invoke(null, factory, values(factory));
  }

  /**
   * Returns the setters of {@code type}'s builder by name, without shorthands for another one: both
   * may be refused together.
   */
  public static List<Method> setters(Class<?> type) {
    Class<?> builder =
        Arrays.stream(type.getClasses())
            .filter(each -> each.getSimpleName().equals("Builder"))
            .findFirst()
            .orElseThrow(() -> new AssertionError(type + " has no Builder"));
    return Arrays.stream(builder.getDeclaredMethods())
        .filter(method -> Modifier.isPublic(method.getModifiers()))
        .filter(method -> method.getParameterCount() == 1)
        .filter(method -> !method.getName().startsWith("from"))
        .sorted(Comparator.comparing(Method::getName))
        .toList();
  }

  /** Calls a setter with a random value. */
  public void set(Object builder, Method setter) {
    invoke(builder, setter, values(setter));
  }

  /** The finished request. */
  public static Object build(Object builder) {
    try {
      Object built = invoke(builder, builder.getClass().getMethod("build"));
      return java.util.Objects.requireNonNull(built);
    } catch (NoSuchMethodException e) {
      throw new AssertionError(e);
    }
  }

  /** Makes the call, blocking. Streams are read to their end, and give all their batches. */
  public static @Nullable Object call(
      CsiPlugin plugin, CsiOperation operation, @Nullable Object request) {
    return call(face(plugin, operation), operation, request);
  }

  /** {@link #call} with a single attempt. */
  public static @Nullable Object callOnce(
      CsiPlugin plugin, CsiOperation operation, @Nullable Object request) {
    Object face = face(plugin, operation);
    try {
      UnaryOperator<io.csi4j.client.model.CallPolicy.Builder> once = policy -> policy.attempts(1);
      Method with = faceType(operation).getMethod("with", UnaryOperator.class);
      return call(invoke(face, with, once), operation, request);
    } catch (NoSuchMethodException e) {
      throw new AssertionError(e);
    }
  }

  /** {@link #call} on one of the five services. */
  public static @Nullable Object call(
      @Nullable Object face, CsiOperation operation, @Nullable Object request) {
    Method method = method(faceType(operation), operation);
    Object result =
        method.getParameterCount() == 0 ? invoke(face, method) : invoke(face, method, request);
    if (result instanceof MetadataStream stream) {
      try (stream) {
        List<BlockMetadataBatch> all = new ArrayList<>();
        stream.forEachRemaining(all::add);
        return all;
      }
    }
    return result;
  }

  /** Makes the call on the asynchronous face and waits for its stage. */
  public static @Nullable Object callAsync(
      CsiPlugin plugin, CsiOperation operation, @Nullable Object request) {
    try {
      Object face = face(plugin, operation);
      Method toAsync = faceType(operation).getMethod("async");
      Object async = invoke(face, toAsync);
      Method method = method(toAsync.getReturnType(), operation);
      Object stage =
          method.getParameterCount() == 0 ? invoke(async, method) : invoke(async, method, request);
      if (stage instanceof Flow.Publisher<?> publisher) {
        return drain(publisher).join();
      }
      return ((CompletionStage<?>) java.util.Objects.requireNonNull(stage))
          .toCompletableFuture()
          .join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof RuntimeException unchecked) {
        throw unchecked;
      }
      throw e;
    } catch (NoSuchMethodException e) {
      throw new AssertionError(e);
    }
  }

  private static CompletableFuture<List<Object>> drain(Flow.Publisher<?> publisher) {
    CompletableFuture<List<Object>> all = new CompletableFuture<>();
    List<Object> seen = new ArrayList<>();
    publisher.subscribe(
        new Flow.Subscriber<Object>() {
          @Override
          public void onSubscribe(Flow.Subscription subscription) {
            subscription.request(Long.MAX_VALUE);
          }

          @Override
          public void onNext(Object item) {
            seen.add(item);
          }

          @Override
          public void onError(Throwable thrown) {
            all.completeExceptionally(thrown);
          }

          @Override
          public void onComplete() {
            all.complete(seen);
          }
        });
    return all;
  }

  // ---- values

  private Object[] values(Method method) {
    return Arrays.stream(method.getParameters())
        .map(parameter -> value(parameter.getParameterizedType(), method.getName()))
        .toArray();
  }

  private Object value(Type type, String what) {
    if (type instanceof ParameterizedType generic) {
      if (generic.getRawType() == List.class) {
        Type element = generic.getActualTypeArguments()[0];
        return element == VolumeCapability.class
            ? List.of(block(), filesystem())
            : List.of(value(element, what), value(element, what));
      }
      return map(false);
    }
    if (type == String.class) {
      return text();
    } else if (type == int.class) {
      return 1 + random.nextInt(1000);
    } else if (type == long.class) {
      return 1 + (long) random.nextInt(1000);
    } else if (type == boolean.class) {
      return true;
    } else if (type == VolumeId.class) {
      return VolumeId.of(text());
    } else if (type == NodeId.class) {
      return NodeId.of(text());
    } else if (type == SnapshotId.class) {
      return SnapshotId.of(text());
    } else if (type == GroupSnapshotId.class) {
      return GroupSnapshotId.of(text());
    } else if (type == PluginPath.class) {
      return PluginPath.of("/" + text());
    } else if (type == Secrets.class) {
      return Secrets.of(map(true));
    } else if (type == VolumeContext.class) {
      return VolumeContext.of(map(true));
    } else if (type == PublishContext.class) {
      return PublishContext.of(map(true));
    } else if (type == CapacityRange.class) {
      long least = 1_000_000L + random.nextInt(1_000_000);
      return CapacityRange.between(least, least + 1 + random.nextInt(1_000_000));
    } else if (type == VolumeCapability.class) {
      return filesystem();
    } else if (type == Topology.class) {
      return topology();
    } else if (type == TopologyRequirement.class) {
      Topology one = topology();
      return new TopologyRequirement(new LinkedHashSet<>(List.of(one, topology())), List.of(one));
    } else if (type == Snapshot.class) {
      return snapshot(SnapshotId.of(text()), List.of());
    } else if (type == VolumeContentSource.class) {
      return random.nextBoolean()
          ? VolumeContentSource.of(SnapshotId.of(text()))
          : VolumeContentSource.of(VolumeId.of(text()));
    }
    throw new AssertionError("no sample for " + type + " of " + what);
  }

  /** A snapshot that can be used from these places. */
  public static Snapshot snapshot(SnapshotId id, List<Topology> places) {
    return new Snapshot() {
      @Override
      public SnapshotId id() {
        return id;
      }

      @Override
      public VolumeId sourceVolumeId() {
        return VolumeId.of("vol-1");
      }

      @Override
      public OptionalLong sizeBytes() {
        return OptionalLong.empty();
      }

      @Override
      public Optional<Instant> creationTime() {
        return Optional.empty();
      }

      @Override
      public boolean readyToUse() {
        return true;
      }

      @Override
      public Optional<GroupSnapshotId> groupSnapshotId() {
        return Optional.empty();
      }

      @Override
      public List<Topology> accessibleTopology() {
        return places;
      }
    };
  }

  private VolumeCapability block() {
    return VolumeCapability.block(AccessMode.MULTI_NODE_MULTI_WRITER);
  }

  private VolumeCapability filesystem() {
    String flag = "flag=" + secret();
    return VolumeCapability.mount(
        MODES.get(random.nextInt(MODES.size())),
        MountOptions.none()
            .withFsType("fs" + random.nextInt(1000))
            .withFlags(MountFlags.of(flag, secret()))
            .withVolumeMountGroup(text()));
  }

  private Topology topology() {
    return Topology.of(Map.of("zone" + counter++, text()));
  }

  private Map<String, String> map(boolean secret) {
    Map<String, String> map = new LinkedHashMap<>();
    for (int i = 0; i < 2; i++) {
      map.put("key-" + counter++, secret ? secret() : text());
    }
    return map;
  }

  private String text() {
    return "text-" + counter++ + "-" + Integer.toString(random.nextInt(1 << 30), 36) + suffix;
  }

  /** A new sensitive value. */
  public String secret() {
    StringBuilder out = new StringBuilder("s3");
    while (out.length() < sensitiveLength) {
      out.appendCodePoint(NASTY[random.nextInt(NASTY.length)]);
    }
    String secret = out.append('x').toString();
    sensitive.add(secret);
    return secret;
  }

  /** How ids, names and other texts end. */
  public Samples textsEndingWith(String text) {
    suffix = text;
    return this;
  }

  /** How long secrets are. */
  public Samples secretsOfLength(int length) {
    sensitiveLength = length;
    return this;
  }

  private static @Nullable Object invoke(
      @Nullable Object target, Method method, @Nullable Object... arguments) {
    try {
      method.setAccessible(true);
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof RuntimeException unchecked) {
        throw unchecked;
      }
      if (e.getCause() instanceof Error error) {
        throw error;
      }
      throw new AssertionError(e);
    } catch (IllegalAccessException e) {
      throw new AssertionError(e);
    }
  }
}
