package io.csi4j.client.internal;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.DiscardUnknownFieldsParser;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.Parser;
import io.grpc.KnownLength;
import io.grpc.MethodDescriptor;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The message of an answer: parsed already if it is small, otherwise still the received bytes.
 *
 * <p>gRPC parses messages on the I/O thread, where parsing a large message would delay the timers
 * of all calls. Also, only two bytes on the wire can become an object in the heap. So a large
 * message is parsed on another thread, and only if it fits into the heap limit.
 */
final class ArrivedAnswer<A extends Message> {

  /**
   * Maximum size in bytes of a message that is parsed immediately. Parsing it takes less than a
   * millisecond and a few MiB of heap.
   */
  static final int SMALL = 16 << 10;

  /** Maximum number of heap bytes for each byte that a message may have on the wire. */
  static final int HEAP_PER_BYTE = 5;

  private static final byte[] NONE = {};

  private final Kind<A> kind;
  private final @Nullable A message;
  private final byte[] bytes;

  private ArrivedAnswer(Kind<A> kind, @Nullable A message, byte[] bytes) {
    this.kind = kind;
    this.message = message;
    this.bytes = bytes;
  }

  /**
   * Returns whether the message is already parsed, so that {@link #message} returns it immediately.
   */
  boolean isBuilt() {
    return message != null;
  }

  /**
   * Returns the message, and parses it first if necessary.
   *
   * @throws TooHeavyException if the message would take too much heap
   * @throws UncheckedIOException if the bytes are not a message of this type
   */
  A message() {
    A built = message;
    return built == null ? kind.build(bytes) : built;
  }

  /** Thrown for a message that is small on the wire but would exceed the heap limit. */
  static final class TooHeavyException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private TooHeavyException() {
      super("the message would take too much heap", null, false, false);
    }
  }

  /**
   * The marshaller for the answers of one method, on connections with the same maximum message
   * size.
   */
  record Kind<A extends Message>(
      MethodDescriptor.PrototypeMarshaller<A> wire, A prototype, long most)
      implements MethodDescriptor.Marshaller<ArrivedAnswer<A>> {

    /** Returns the method, with a marshaller that returns its answers as {@code ArrivedAnswer}. */
    static <Q extends Message, A extends Message> MethodDescriptor<Q, ArrivedAnswer<A>> of(
        MethodDescriptor<Q, A> method, int maxMessageBytes) {
      if (method.getResponseMarshaller() instanceof MethodDescriptor.PrototypeMarshaller<A> wire) {
        A prototype = Objects.requireNonNull(wire.getMessagePrototype());
        Kind<A> kind = new Kind<>(wire, prototype, (long) HEAP_PER_BYTE * maxMessageBytes);
        return method.toBuilder(method.getRequestMarshaller(), kind).build();
      }
      throw new IllegalArgumentException(method.getFullMethodName() + " has no generated answer");
    }

    @Override
    public InputStream stream(ArrivedAnswer<A> value) {
      return wire.stream(value.message());
    }

    @Override
    public ArrivedAnswer<A> parse(InputStream stream) {
      try {
        // The length of a compressed message is unknown until it is decompressed.
        if (stream instanceof KnownLength && stream.available() <= SMALL) {
          return new ArrivedAnswer<>(this, wire.parse(stream), NONE);
        }
        byte[] bytes = stream.readAllBytes();
        return bytes.length <= SMALL
            ? new ArrivedAnswer<>(this, build(bytes), NONE)
            : new ArrivedAnswer<>(this, null, bytes);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private A build(byte[] bytes) {
      if (bytes.length > SMALL
          && !MessageWeight.isWithin(prototype.getDescriptorForType(), bytes, most)) {
        throw new TooHeavyException();
      }
      try {
        @SuppressWarnings("unchecked") // the parser of an A
        Parser<A> parser =
            DiscardUnknownFieldsParser.wrap((Parser<A>) prototype.getParserForType());
        CodedInputStream in = CodedInputStream.newInstance(bytes);
        A built = parser.parseFrom(in);
        in.checkLastTagWas(0);
        return built;
      } catch (InvalidProtocolBufferException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
