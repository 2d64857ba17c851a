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
 * The message of an answer: built already if it is small, else still the bytes that came.
 *
 * <p>gRPC reads messages on the I/O thread, where a large one would keep the timers of all calls
 * waiting; and two bytes can become an object. So a large message is built elsewhere, and only if
 * it is not too much for the heap.
 */
final class ArrivedAnswer<A extends Message> {

  /** Bytes of a message that is built at once: within a millisecond, and in a few MiB of heap. */
  static final int SMALL = 16 << 10;

  /** Bytes of heap that a message may take for each byte that it may have on the wire. */
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

  /** True if {@link #message} only returns what is there. */
  boolean isBuilt() {
    return message != null;
  }

  /**
   * Returns the message, building it if need be.
   *
   * @throws TooHeavyException if it would take too much heap
   * @throws UncheckedIOException if the bytes are no such message
   */
  A message() {
    A built = message;
    return built == null ? kind.build(bytes) : built;
  }

  /** A message is small on the wire, but would take more heap than it may. */
  static final class TooHeavyException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private TooHeavyException() {
      super("the message would take too much heap", null, false, false);
    }
  }

  /** The answers of one method over connections that take messages of one size. */
  record Kind<A extends Message>(
      MethodDescriptor.PrototypeMarshaller<A> wire, A prototype, long most)
      implements MethodDescriptor.Marshaller<ArrivedAnswer<A>> {

    /** The method with answers of this kind. */
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
        // The length of a compressed message is not known before it is unpacked.
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
