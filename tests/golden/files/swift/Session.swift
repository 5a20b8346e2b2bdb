//  Session.swift

import Foundation
@testable import Networking

/// Makes requests.
///
/// - Note: Keep it.
@available(iOS 13, *)
open class Session<Client>: NSObject, RequestDelegate where Client: Equatable {
    /// The one of all.
    public static let `default` = Session()

    public private(set) var retries: Int = 3, limit = 10
    let queue: DispatchQueue

    /// Whether it is free.
    public var isFree: Bool {
        get { active.isEmpty }
        set { cancelAll() }
    }

    public init(queue: DispatchQueue = .main,
                _ client: Client? = nil) throws {
        self.queue = queue
        super.init()
    }

    deinit {
        cancelAll()
    }

    // Sends one.
    @discardableResult
    open func request<Parameters: Encodable>(_ convertible: URLConvertible,
                                             method: Method = .get,
                                             parameters: Parameters? = nil) async throws -> DataRequest {
        func build() -> URLRequest { URLRequest(url: convertible) }
        let request = DataRequest(convertible, interceptor: adapter.adapt(method))
        perform(request)
        return request
    }

    /// The same with a closure.
    open func request(_ url: URL, completion: @escaping (Result<Data, Error>) -> Void) {
        completion(.success(Data()))
    }

    subscript(id: Int) -> DataRequest? {
        active[id]
    }

    static func == (left: Session, right: Session) -> Bool {
        left === right
    }

    enum State: String {
        case idle, running = "run"
        /// With a reason.
        case finished(reason: Reason)

        var isFinal: Bool { self == .finished }
        func canBecome(_ other: State) -> Bool { true }
    }

    struct Options {
        let größe: Int
        var headers: HTTPHeaders = [:]
        typealias Builder = (inout Options) -> Void
    }
}

// MARK: - Delegate

extension Session: TaskDelegate {
    public func task(for request: Request) -> Task? { tasks[request] }
}

extension Array where Element == Header {
    func index(of name: String) -> Int? { firstIndex { $0.name == name } }
}

/// Gives requests.
public protocol RequestDelegate: AnyObject {
    associatedtype Output
    var sessionName: String { get }
    func retry(_ request: Request) -> Bool
}

public actor Counter {
    private var value = 0
    func increase() { value += 1 }
}

public func download(_ url: URL) -> Download { Download(url) }

let timeout = 60.0

indirect enum Tree<Leaf> {
    case leaf(Leaf)
    case node(Tree, Tree)
}

@main
struct Tool {
    static func main() { download(URL(string: "x")!) }
}
